// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import java.math.BigDecimal;
import java.util.List;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.datasource.pooled.PooledDataSource;
import org.apache.ibatis.exceptions.PersistenceException;
import org.apache.ibatis.executor.BatchResult;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Tests MyBatis with its own pool, which receives the name of the driver class. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("standbys")
@Tag("embedded")
class MyBatisTest {
    private static Shop shop;
    private static PooledDataSource pool;
    private static SqlSessionFactory sessions;

    /** A row of the table item. */
    public static final class Item {
        int id;
        String title;
        BigDecimal price;

        static Item of(String title, String price) {
            Item item = new Item();
            item.title = title;
            item.price = new BigDecimal(price);
            return item;
        }
    }

    /** The mapped statements. */
    interface Items {
        @Insert("INSERT INTO item (title, price) VALUES (#{title}, #{price})")
        @Options(useGeneratedKeys = true, keyProperty = "id", keyColumn = "id")
        int add(Item item);

        @Select("SELECT id, title, price FROM item WHERE id = #{id}")
        Item find(int id);

        @Select("SELECT id, title, price FROM item WHERE title LIKE #{pattern} ORDER BY id")
        List<Item> like(String pattern);

        @Update("UPDATE item SET price = price + 1 WHERE id = #{id}")
        int raise(int id);
    }

    private final Idiom idiom;

    MyBatisTest(String engine) {
        idiom = Idiom.of(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        shop = Shop.of(engine);
        shop.makeItems();
        pool = new PooledDataSource("io.multimed.jdbc.MultimedDriver", shop.url(), "tester", "");
        Configuration configuration = new Configuration(new Environment("test", new JdbcTransactionFactory(), pool));
        configuration.addMapper(Items.class);
        sessions = new SqlSessionFactoryBuilder().build(configuration);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        pool.forceCloseAll();
    }

    @Test
    void shouldWriteOnTheMasterAndReadOnSatellites() throws Exception {
        Item item = Item.of("one", "1.50");
        try (SqlSession session = sessions.openSession()) {
            Items items = session.getMapper(Items.class);
            assertThat(items.add(item)).isEqualTo(1);
            assertThat(items.raise(item.id)).isEqualTo(1);
            assertThat(items.find(item.id).price).isEqualByComparingTo("2.50");
            assertThat(Shop.lastNode(session.getConnection())).isEqualTo("master");
            session.commit();
        }
        assertThat(shop.onMaster("SELECT id FROM item WHERE title = 'one'")).isEqualTo(item.id);
        try (SqlSession session = sessions.openSession(true)) {
            Item found = session.getMapper(Items.class).find(item.id);
            assertThat(found).usingRecursiveComparison().ignoringFields("price").isEqualTo(item);
            assertThat(found.price).isEqualTo("2.50");
            assertThat(Shop.lastNode(session.getConnection())).startsWith("satellite");
        }
    }

    @Test
    void shouldRollBackWithoutACommit() {
        try (SqlSession session = sessions.openSession()) {
            session.getMapper(Items.class).add(Item.of("undone", "1"));
        }
        try (SqlSession session = sessions.openSession(true)) {
            assertThat(session.getMapper(Items.class).like("undone")).isEmpty();
        }
    }

    @Test
    void shouldBatchAndReturnKeysOfAllRows() {
        try (SqlSession session = sessions.openSession(ExecutorType.BATCH)) {
            Items items = session.getMapper(Items.class);
            List<Item> added = List.of(Item.of("batch 1", "1"), Item.of("batch 2", "2"), Item.of("batch 3", "3"));
            added.forEach(items::add);
            List<BatchResult> results = session.flushStatements();
            session.commit();
            assertThat(results)
                    .singleElement()
                    .satisfies(result -> assertThat(result.getUpdateCounts()).containsExactly(1, 1, 1));
            assertThat(items.like("batch%"))
                    .usingRecursiveComparison()
                    .ignoringFields("price")
                    .isEqualTo(added);
        }
    }

    @Test
    void shouldReportTheEnginesErrors() {
        try (SqlSession session = sessions.openSession(true)) {
            Items items = session.getMapper(Items.class);
            items.add(Item.of("unique", "1"));
            assertThatThrownBy(() -> items.add(Item.of("unique", "1")))
                    .isInstanceOf(PersistenceException.class)
                    .hasRootCauseMessage(idiom.duplicateTitle());
        }
    }
}

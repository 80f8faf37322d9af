// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.multimed.deploy.launcher.EachEngine;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.simple.SimpleJdbcInsert;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests Spring's JdbcTemplate and related classes, with a pool. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("embedded")
class SpringJdbcTest {
    private static Shop shop;
    private static HikariDataSource pool;
    private static JdbcTemplate jdbc;

    private final Idiom idiom;

    SpringJdbcTest(String engine) {
        idiom = Idiom.of(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        shop = Shop.of(engine);
        pool = new HikariDataSource();
        pool.setJdbcUrl(shop.url());
        pool.setUsername("tester");
        pool.setMaximumPoolSize(3);
        jdbc = new JdbcTemplate(pool);
        jdbc.execute("DROP TABLE IF EXISTS item");
        jdbc.execute("CREATE TABLE item (%s, title varchar(40) NOT NULL UNIQUE, price numeric(8,2) CHECK (price >= 0))"
                .formatted(shop.idiom().key()));
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        pool.close();
    }

    @Test
    void shouldQueryAndUpdate() {
        long before = shop.readsOfSatellites();
        assertThat(jdbc.update("INSERT INTO item (title, price) VALUES (?, ?)", "plain", new BigDecimal("1.50")))
                .isEqualTo(1);
        assertThat(jdbc.queryForObject("SELECT price FROM item WHERE title = ?", BigDecimal.class, "plain"))
                .isEqualByComparingTo("1.50");
        Map<String, Object> row = jdbc.queryForMap("SELECT title, price FROM item WHERE title = ?", "plain");
        assertThat(row).containsEntry("title", "plain").containsEntry("price", new BigDecimal("1.50"));
        assertThat(shop.readsOfSatellites()).isGreaterThanOrEqualTo(before + 2);
    }

    @Test
    void shouldBatchAndReturnKeys() throws Exception {
        int[][] counts = jdbc.batchUpdate(
                "INSERT INTO item (title, price) VALUES (?, ?)", List.of("a", "b", "c"), 2, (statement, title) -> {
                    statement.setString(1, "batch " + title);
                    statement.setInt(2, 1);
                });
        assertThat(counts).isDeepEqualTo(new int[][] {{1, 1}, {1}});
        GeneratedKeyHolder keys = new GeneratedKeyHolder();
        new NamedParameterJdbcTemplate(pool)
                .update(
                        "INSERT INTO item (title, price) VALUES (:title, :price)",
                        new MapSqlParameterSource(Map.of("title", "keyed", "price", 2)),
                        keys,
                        new String[] {"id"});
        assertThat(shop.onMaster("SELECT id FROM item WHERE title = 'keyed'"))
                .isEqualTo(keys.getKey().longValue());
        Number id = new SimpleJdbcInsert(pool)
                .withTableName("item")
                .usingGeneratedKeyColumns("id")
                .executeAndReturnKey(Map.of("title", "simple", "price", 3));
        assertThat(shop.onMaster("SELECT id FROM item WHERE title = 'simple'")).isEqualTo(id.longValue());
    }

    @Test
    void shouldTranslateExceptionsAsForTheEngine() {
        jdbc.update("INSERT INTO item (title, price) VALUES ('unique', 1)");
        assertThatThrownBy(() -> jdbc.update("INSERT INTO item (title, price) VALUES ('unique', 1)"))
                .isInstanceOf(DuplicateKeyException.class)
                .hasMessageContaining(idiom.titleKey());
        assertThatThrownBy(() -> jdbc.update("INSERT INTO item (title, price) VALUES ('negative', -1)"))
                .isInstanceOf(
                        idiom.engine().equals("mysql")
                                ? UncategorizedSQLException.class // its own state for it says nothing
                                : DataIntegrityViolationException.class)
                .hasMessageContaining(idiom.priceCheck());
        assertThatThrownBy(() -> jdbc.queryForList("SELECT nothing FROM item"))
                .isInstanceOf(BadSqlGrammarException.class);
    }

    @Test
    void shouldRouteTransactionsByTheirReadOnlyFlag() {
        JdbcTransactionManager manager = new JdbcTransactionManager(pool);
        TransactionTemplate readOnly = new TransactionTemplate(manager);
        readOnly.setReadOnly(true);
        TransactionTemplate writing = new TransactionTemplate(manager);
        int id = writing.execute(status -> {
            int counted = jdbc.queryForObject("SELECT count(*) FROM item", Integer.class);
            jdbc.update("INSERT INTO item (title, price) VALUES (?, 1)", "transaction " + counted);
            assertThat(jdbc.execute(Shop::lastNode)).isEqualTo("master");
            return jdbc.queryForObject("SELECT max(id) FROM item", Integer.class);
        });
        readOnly.executeWithoutResult(status -> {
            assertThat(jdbc.queryForObject("SELECT max(id) FROM item", Integer.class))
                    .isEqualTo(id);
            assertThat(jdbc.execute(Shop::lastNode)).startsWith("satellite");
        });
        long rows = jdbc.queryForObject("SELECT count(*) FROM item", Long.class);
        writing.executeWithoutResult(status -> {
            jdbc.update("INSERT INTO item (title, price) VALUES ('undone', 1)");
            status.setRollbackOnly();
        });
        assertThat(jdbc.queryForObject("SELECT count(*) FROM item", Long.class)).isEqualTo(rows);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.launcher.EachEngine;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.exception.IntegrityConstraintViolationException;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Tests jOOQ, which determines the dialect from the URL. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("standbys")
@Tag("embedded")
class JooqTest {
    private static final Table<Record> ITEM = table(name("item"));
    private static final Field<Integer> ID = field(name("id"), SQLDataType.INTEGER);
    private static final Field<String> TITLE = field(name("title"), SQLDataType.VARCHAR);
    private static final Field<BigDecimal> PRICE = field(name("price"), SQLDataType.NUMERIC(8, 2));

    private static Shop shop;

    private final Idiom idiom;

    JooqTest(String engine) {
        idiom = Idiom.of(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        shop = Shop.of(engine);
        shop.makeItems();
    }

    private static Connection connect() throws Exception {
        return DriverManager.getConnection(shop.safeUrl(), "tester", "");
    }

    @Test
    void shouldDetermineTheDialectFromTheUrl() throws Exception {
        try (Connection connection = connect()) {
            assertThat(DSL.using(connection).dialect()).isEqualTo(idiom.dialect());
        }
    }

    /**
     * Inserts an item and returns its key. jOOQ reads the key with RETURNING if its dialect supports RETURNING, and on
     * MySQL with a function.
     */
    private Integer add(DSLContext create, String title, BigDecimal price) {
        var insert = create.insertInto(ITEM, TITLE, PRICE).values(title, price);
        if (!idiom.engine().equals("mysql")) {
            return insert.returningResult(ID).fetchOne(ID);
        }
        insert.execute();
        return create.lastID().intValue();
    }

    @Test
    void shouldReadOnSatellitesAndWriteOnTheMaster() throws Exception {
        try (Connection connection = connect()) {
            DSLContext create = DSL.using(connection);
            Integer id = add(create, "one", new BigDecimal("1.50"));
            assertThat(Shop.lastNode(connection)).isEqualTo("master");
            assertThat(shop.onMaster("SELECT id FROM item WHERE title = 'one'")).isEqualTo(id.longValue());
            Record row = create.select(TITLE, PRICE).from(ITEM).where(ID.eq(id)).fetchOne();
            assertThat(Shop.lastNode(connection)).startsWith("satellite");
            assertThat(row.get(TITLE)).isEqualTo("one");
            assertThat(row.get(PRICE)).isEqualTo("1.50");
            assertThat(create.update(ITEM)
                            .set(PRICE, PRICE.plus(1))
                            .where(ID.eq(id))
                            .execute())
                    .isEqualTo(1);
            assertThat(create.select(PRICE).from(ITEM).where(ID.eq(id)).fetchOne(PRICE))
                    .isEqualByComparingTo("2.50");
        }
    }

    @Test
    void shouldWriteAndReadArraysIfTheEngineSupportsThem() throws Exception {
        assumeTrue(idiom.engine().equals("postgresql"), "no other engine has arrays");
        Field<Integer[]> marks = field(name("marks"), SQLDataType.INTEGER.array());
        shop.run("CREATE TABLE marked (id int PRIMARY KEY, marks int[])");
        try (Connection connection = connect()) {
            DSLContext create = DSL.using(connection);
            create.insertInto(table(name("marked")), ID, marks)
                    .values(1, new Integer[] {1, 2})
                    .execute();
            assertThat(create.select(marks).from("marked").fetchOne(marks)).containsExactly(1, 2);
        }
    }

    @Test
    void shouldRunTransactionsAndRollBackNestedTransactions() throws Exception {
        try (Connection connection = connect()) {
            DSLContext create = DSL.using(connection);
            create.transaction(outer -> {
                outer.dsl().insertInto(ITEM, TITLE).values("outer").execute();
                assertThatThrownBy(() -> outer.dsl().transaction(inner -> {
                            inner.dsl().insertInto(ITEM, TITLE).values("inner").execute();
                            throw new IllegalStateException("undo");
                        }))
                        .hasStackTraceContaining("undo");
                assertThat(outer.dsl().fetchCount(ITEM, TITLE.in("outer", "inner")))
                        .isEqualTo(1);
            });
            assertThat(create.select(TITLE)
                            .from(ITEM)
                            .where(TITLE.in("outer", "inner"))
                            .fetch(TITLE))
                    .containsExactly("outer");
        }
    }

    @Test
    void shouldUpsertBatchAndTranslateErrors() throws Exception {
        try (Connection connection = connect()) {
            DSLContext create = DSL.using(connection);
            for (int i = 0; i < 2; i++) {
                create.insertInto(ITEM, TITLE, PRICE)
                        .values("upsert", BigDecimal.ONE)
                        .onConflict(TITLE)
                        .doUpdate()
                        .set(PRICE, BigDecimal.TEN)
                        .execute();
            }
            assertThat(create.select(PRICE).from(ITEM).where(TITLE.eq("upsert")).fetchOne(PRICE))
                    .isEqualByComparingTo("10");
            assertThat(create.batch(create.insertInto(ITEM, TITLE).values((String) null))
                            .bind("batch 1")
                            .bind("batch 2")
                            .execute())
                    .containsExactly(1, 1);
            assertThatThrownBy(() ->
                            create.insertInto(ITEM, TITLE).values("upsert").execute())
                    .isInstanceOf(IntegrityConstraintViolationException.class);
            List<Integer> counts = create.select(count())
                    .from(ITEM)
                    .where(TITLE.like("batch%"))
                    .fetch(count());
            assertThat(counts).containsExactly(2);
        }
    }

    @Test
    void shouldReadTheSchema() throws Exception {
        try (Connection connection = connect()) {
            assertThat(DSL.using(connection)
                            .meta()
                            .filterSchemas(schema -> List.of("public", "shop").contains(schema.getName()))
                            .getTables("item"))
                    .singleElement()
                    .satisfies(item -> {
                        assertThat(item.fields()).extracting(Field::getName).contains("id", "title", "price");
                        assertThat(item.getPrimaryKey().getFields()).hasSize(1);
                    });
        }
    }
}

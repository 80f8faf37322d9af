// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.Engines;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.ReadFootprint;
import io.multimed.engine.sql.SchemaFacts;
import io.multimed.protocol.session.Route;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.value.Parameter;
import io.multimed.server.dispatcher.classification.StatementClassifier;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.request.StatementWork;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.PinnedSessions;
import io.multimed.server.dispatcher.session.SessionTimeZone;
import io.multimed.server.dispatcher.session.TransactionState;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.dispatcher.statement.LargeResults;
import io.multimed.server.dispatcher.statement.LastGeneratedKey;
import io.multimed.server.dispatcher.statement.OpenCursors;
import io.multimed.server.dispatcher.statement.StatementSlots;
import io.multimed.server.dispatcher.statement.StatementState;
import io.multimed.server.dispatcher.statement.UploadFolder;
import io.multimed.server.dispatcher.statement.UploadedValues;
import io.multimed.server.observation.PhaseClock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Types;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests where statements run, depending on the state of the session. Needs no engine: nothing is executed. */
class StatementRouterTest {
    private static final TransactionMode AUTO_COMMIT = TransactionMode.DEFAULT;
    private static final TransactionMode READ_WRITE = new TransactionMode(false, false, 0);
    private static final TransactionMode READ_ONLY = new TransactionMode(false, true, 0);
    private static final String READ = "SELECT a FROM t WHERE b = 1";
    private static final String UPDATE = "UPDATE t SET a = 1";
    private static final String DDL = "CREATE TABLE u (a int)";
    private static final String SETTING = "SET search_path = other";

    private final SqlDialect dialect = Engines.of("postgresql").dialect();
    private final StatementClassifier classifier = new StatementClassifier(
            dialect.reader(), () -> new SchemaFacts(Set.of("count", "random"), Set.of(), false, false));
    private final TransactionState transaction = new TransactionState();
    private final PinnedSessions pins = new PinnedSessions(2);

    private boolean catalogOnSatellites;

    @TempDir
    private Path folder;

    private StatementRouter router() {
        UploadFolder uploads = new UploadFolder(folder);
        LargeResults large = new LargeResults(new MemoryBudget(1 << 20), uploads);
        Cancellation cancellation = new Cancellation();
        StatementState statements = new StatementState(
                new StatementSlots(),
                new OpenCursors(cancellation, dialect, large, uploads),
                new UploadedValues(uploads, dialect.values().copiesOfSent()),
                large,
                new LastGeneratedKey(dialect.sessions().lastKeys()),
                cancellation);
        ClientContext client = new ClientContext(
                1, null, transaction, new SessionTimeZone(dialect, "UTC"), statements, null, PhaseClock.OFF);
        return new StatementRouter(client, pins, Connection.TRANSACTION_READ_COMMITTED, true, catalogOnSatellites);
    }

    private StatementTask task(String sql, TransactionMode mode) {
        Classification classification = classifier.classify(sql);
        return new StatementTask(
                new Receipt(1, 1),
                mode,
                classification,
                false,
                null,
                null,
                new StatementWork.Plain((connection, whole) -> {
                    throw new IllegalStateException("a router executes nothing");
                }),
                response -> {});
    }

    private StatementPlan plan(String sql, TransactionMode mode) {
        return router().plan(task(sql, mode));
    }

    /** The lease is irrelevant for routing. */
    private void beginOn(boolean master) {
        transaction.begin(null, master);
    }

    @Test
    void shouldReadOnASatelliteOutsideOfTransactionsThatMayWrite() {
        assertThat(plan(READ, AUTO_COMMIT)).isEqualTo(new StatementPlan.ReadOnSatellite());
        assertThat(plan(READ, READ_ONLY)).isEqualTo(new StatementPlan.ReadOnSatellite());
        assertThat(plan(READ, READ_WRITE))
                .isEqualTo(new StatementPlan.RunOnMaster(new Route(
                        Route.Reason.NOT_READ_ONLY,
                        "its result may depend on more than rows, or ends with the transaction")));
    }

    @Test
    void shouldRunSerializableReadsOnTheMaster() {
        TransactionMode serializable = new TransactionMode(true, false, Connection.TRANSACTION_SERIALIZABLE);
        assertThat(plan(READ, serializable)).isEqualTo(new StatementPlan.RunOnMaster(Route.SERIALIZABLE));
    }

    @Test
    void shouldRunUpdatesAndSchemaChangesOnTheMaster() {
        assertThat(plan(UPDATE, AUTO_COMMIT)).isInstanceOf(StatementPlan.RunOnMaster.class);
        assertThat(plan(DDL, AUTO_COMMIT)).isInstanceOf(StatementPlan.RunOnMaster.class);
        assertThat(plan("VACUUM t", AUTO_COMMIT)).isEqualTo(new StatementPlan.RunOutsideTransaction());
        assertThat(plan("ANALYZE t", AUTO_COMMIT)).isInstanceOf(StatementPlan.RunOnAllNodes.class);
    }

    @Test
    void shouldRunStatementsOnTheNodeOfTheOpenTransaction() {
        for (boolean master : List.of(true, false)) {
            beginOn(master);
            assertThat(plan(READ, READ_ONLY)).as("on master %s", master).isEqualTo(new StatementPlan.RunWhereBound());
            assertThat(plan(UPDATE, READ_WRITE)).isEqualTo(new StatementPlan.RunWhereBound());
            transaction.end();
        }
    }

    @Test
    void shouldReadTheCatalogOnTheConnectionThatSeesItsChanges() {
        assertThat(router().planCatalog()).isEqualTo(new StatementPlan.ReadCatalog());
        beginOn(true);
        assertThat(router().planCatalog()).isEqualTo(new StatementPlan.RunWhereBound());
        transaction.end();
        beginOn(false);
        assertThat(router().planCatalog()).isEqualTo(new StatementPlan.ReadCatalog());
    }

    @Test
    void shouldReadTheCatalogOnSatellitesThatHaveIt() {
        catalogOnSatellites = true;
        assertThat(router().planCatalog()).isEqualTo(new StatementPlan.ReadOnSatellite());
        assertThat(router().planServer()).isEqualTo(new StatementPlan.ReadCatalog());
        beginOn(false);
        assertThat(router().planCatalog()).isEqualTo(new StatementPlan.RunWhereBound());
        assertThat(router().planServer()).isEqualTo(new StatementPlan.ReadCatalog());
    }

    @Test
    void shouldContinueOnTheMasterOnlyWithoutASnapshotOfSeveralStatements() {
        beginOn(false);
        assertThat(plan(SETTING, READ_ONLY)).isInstanceOf(StatementPlan.ContinueOnMaster.class);
        assertThat(plan("ANALYZE t", READ_ONLY))
                .isInstanceOfSatisfying(
                        StatementPlan.RunOnAllNodes.class,
                        everywhere -> assertThat(everywhere.then())
                                .as("not in the satellite's transaction")
                                .isInstanceOf(StatementPlan.ContinueOnMaster.class));
        assertThat(plan(SETTING, new TransactionMode(false, true, Connection.TRANSACTION_REPEATABLE_READ)))
                .isInstanceOfSatisfying(StatementPlan.Refuse.class, refused -> {
                    assertThat(refused.sqlState()).isEqualTo("0A000");
                    assertThat(refused.message()).contains("READ COMMITTED");
                });
    }

    @Test
    void shouldRefuseSessionStateWhenOnlyOneConnectionOfTheMasterIsLeft() {
        assertThat(plan(SETTING, AUTO_COMMIT)).isInstanceOf(StatementPlan.RunOnMaster.class);
        pins.add(2, List.of("settings"));
        assertThat(plan(SETTING, AUTO_COMMIT)).isInstanceOfSatisfying(StatementPlan.Refuse.class, refused -> {
            assertThat(refused.sqlState()).isEqualTo("53300");
            assertThat(refused.message()).contains("1 (settings 1)").contains("raise the master's pool");
        });
        pins.remove(2);
        assertThat(plan(SETTING, AUTO_COMMIT)).isInstanceOf(StatementPlan.RunOnMaster.class);
    }

    @Test
    void shouldPlanTransactionControl() {
        assertThat(plan("BEGIN", AUTO_COMMIT)).isInstanceOf(StatementPlan.Begin.class);
        assertThat(plan("COMMIT", AUTO_COMMIT)).isEqualTo(new StatementPlan.Commit());
        assertThat(plan("ROLLBACK", AUTO_COMMIT)).isEqualTo(new StatementPlan.Rollback());
        assertThat(plan("DISCARD ALL", AUTO_COMMIT)).isEqualTo(new StatementPlan.DiscardSession());
        beginOn(true);
        assertThat(plan("BEGIN", AUTO_COMMIT)).as("the engine answers").isEqualTo(new StatementPlan.RunWhereBound());
        assertThat(plan("DISCARD ALL", AUTO_COMMIT))
                .isInstanceOfSatisfying(
                        StatementPlan.Refuse.class,
                        refused -> assertThat(refused.sqlState()).isEqualTo("25001"));
    }

    @Test
    void shouldPlanAdministration() {
        assertThat(plan("SHOW MULTIMED STATUS", AUTO_COMMIT)).isEqualTo(new StatementPlan.ShowStatus());
        assertThat(plan("VERIFY MULTIMED", AUTO_COMMIT)).isEqualTo(new StatementPlan.Administer());
    }

    @Test
    void shouldLetOnlyReadsAtReadCommittedRunBeforeTheTransactionBegins() {
        ReadFootprint footprint = new ReadFootprint(Set.of(), Set.of(), Set.of(), false, List.of(), List.of());
        Classification read = Classification.read(Set.of(), Set.of(), footprint);
        TransactionMode repeatable = new TransactionMode(false, false, Connection.TRANSACTION_REPEATABLE_READ);
        Parameter number = new Parameter(Types.INTEGER, 1);
        assertThat(router().mayRunBeforeBegin(read, READ_WRITE, List.of(number)))
                .isTrue();
        assertThat(router().mayRunBeforeBegin(read, AUTO_COMMIT, List.of())).isFalse();
        assertThat(router().mayRunBeforeBegin(read, repeatable, List.of())).isFalse();
        assertThat(router().mayRunBeforeBegin(read, READ_WRITE, List.of(new Parameter(Types.VARCHAR, " NOW "))))
                .as("a parameter that may stand for the current time")
                .isFalse();
        assertThat(router().mayRunBeforeBegin(Classification.read(Set.of()), READ_WRITE, List.of()))
                .as("a result that may depend on more than rows")
                .isFalse();
        beginOn(true);
        assertThat(router().mayRunBeforeBegin(read, READ_WRITE, List.of())).isFalse();
    }

    @Test
    void shouldAcceptOnlyTheEndOfATransactionThatFailedBeforeItBegan() {
        transaction.failed();
        assertThat(plan(READ, READ_WRITE)).isInstanceOf(StatementPlan.Refuse.class);
        assertThat(plan("UPDATE t SET a = 1", READ_WRITE)).isInstanceOf(StatementPlan.Refuse.class);
        assertThat(router().planCatalog()).isInstanceOf(StatementPlan.Refuse.class);
        assertThat(plan("ROLLBACK", READ_WRITE)).isEqualTo(new StatementPlan.Rollback());
        transaction.end();
        assertThat(plan(READ, AUTO_COMMIT)).isEqualTo(new StatementPlan.ReadOnSatellite());
    }
}

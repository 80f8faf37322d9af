package io.multimed.compatibility.difference;

import static org.junit.jupiter.api.Assertions.assertAll;

import io.multimed.deploy.engine.LocalEngines;
import java.io.IOException;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * For one engine, the same calls on a plain one through its own driver and on Multimed through ours; whatever can be observed is compared. DIFFERENCES.md lists what differs,
 * and why; what it lists must differ. The outcomes of all that differ are in target/differences, by engine.
 */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DifferenceTest {
    private final EngineUnderTest engine;
    private TwoDatabases databases;

    private Connection engines;
    private Connection ours;

    DifferenceTest(EngineUnderTest engine) {
        this.engine = engine;
    }

    @BeforeAll
    void start() throws Exception {
        LocalEngines.missing(engine.id()).ifPresent(why -> Assumptions.abort(why));
        databases = new TwoDatabases(engine);
        databases.run(engine.family().setup());
    }

    @AfterAll
    void stop() {
        if (databases != null) {
            databases.close();
        }
    }

    /** Fresh data for each test: what one leaves behind must not reach the other. */
    @BeforeEach
    void begin() throws Exception {
        databases.run(engine.family().fresh());
        engines = databases.engines().connect();
        ours = databases.ours().connect();
    }

    private Comparisons comparisons(String suite) throws IOException {
        return new Comparisons(engine, suite);
    }

    private void close() throws Exception {
        engines.close();
        ours.close();
    }

    @Test
    void shouldReadEveryTypeByEveryGetterAsTheEnginesOwnDriver() throws Exception {
        databases.run(engine.family().valueSetup());
        Comparisons values = comparisons("value");
        Comparisons metadata = comparisons("column");
        new ValueSuite(values, metadata).run(engines, ours);
        close();
        assertAll(() -> metadata.conclude(1_000), () -> values.conclude(10_000));
    }

    /** What the engine's own driver does not: it turns to another form of transfer, and then gives other texts and bytes of some types. */
    @Test
    void shouldReadTheSameHoweverOftenAStatementRan() throws Exception {
        databases.run(engine.family().valueSetup());
        Comparisons comparisons = comparisons("often");
        new ValueSuite(comparisons, comparisons).runOften(ours);
        close();
        comparisons.conclude(1_000);
    }

    @Test
    void shouldSetEveryParameterAsTheEnginesOwnDriver() throws Exception {
        Comparisons comparisons = comparisons("parameter");
        new ParameterSuite(comparisons).run(engines, ours);
        close();
        comparisons.conclude(3_000);
    }

    @Test
    void shouldFailAsTheEnginesOwnDriver() throws Exception {
        Comparisons comparisons = comparisons("error");
        new ErrorSuite(comparisons).run(engines, ours);
        close();
        comparisons.conclude(300);
    }

    @Test
    void shouldExecuteEveryStatementInEveryWayAsTheEnginesOwnDriver() throws Exception {
        close();
        Comparisons comparisons = comparisons("statement");
        for (StatementSuite.Way way : StatementSuite.Way.values()) {
            begin();
            new StatementSuite(comparisons).run(way, engines, ours);
            close();
        }
        comparisons.conclude(1_000);
    }

    @Test
    void shouldDescribeTheDatabaseAsTheEnginesOwnDriver() throws Exception {
        Comparisons comparisons = comparisons("catalog");
        new CatalogSuite(comparisons).run(engines, ours);
        close();
        comparisons.conclude(400);
    }

    @Test
    void shouldBehaveOnConnectionsAndStatementsAsTheEnginesOwnDriver() throws Exception {
        Comparisons comparisons = comparisons("connection");
        new ConnectionSuite(comparisons).run(engines, ours);
        close();
        comparisons.conclude(120);
    }

    @Test
    void shouldUpdateThroughResultsAsTheEnginesOwnDriver() throws Exception {
        databases.run(List.of("DELETE FROM parts WHERE id > 1", "INSERT INTO things VALUES (4, 'four', 4)"));
        Comparisons comparisons = comparisons("updatable");
        new UpdatableSuite(comparisons).run(engines, ours);
        close();
        comparisons.conclude(700);
    }

    @Test
    void shouldKeepAndCloseCursorsAsTheEnginesOwnDriver() throws Exception {
        Comparisons comparisons = comparisons("cursor");
        new CursorSuite(comparisons).run(engines, ours);
        close();
        comparisons.conclude(200);
    }

    @Test
    void shouldExecuteBatchesAsTheEnginesOwnDriver() throws Exception {
        Comparisons comparisons = comparisons("batch");
        new BatchSuite(comparisons).run(engines, ours);
        close();
        comparisons.conclude(300);
    }

    @Test
    void shouldCallFunctionsAndProceduresAsTheEnginesOwnDriver() throws Exception {
        Comparisons comparisons = comparisons("call");
        new CallSuite(comparisons).run(engines, ours);
        close();
        comparisons.conclude(400);
    }
}

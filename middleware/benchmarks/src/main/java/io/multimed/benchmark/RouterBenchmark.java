// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark;

import io.multimed.engine.Engine;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.engine.sql.Classification;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.request.StatementWork;
import io.multimed.server.dispatcher.routing.StatementPlan;
import io.multimed.server.dispatcher.routing.StatementRouter;
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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Set;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The plan of a statement that is classified already (architecture 4.1). */
@State(Scope.Thread)
public class RouterBenchmark extends MultimedBenchmark {
    /** The kinds of statements that are planned, all of them outside of a transaction. */
    public enum Statement {
        READ,
        UPDATE,
        /** DDL that the engine runs outside of transactions only. */
        DDL;

        Classification classification() {
            return switch (this) {
                case READ -> Classification.read(Set.of("item"));
                case UPDATE -> Classification.of(Classification.Kind.MASTER);
                case DDL -> Classification.of(Classification.Kind.NON_TRANSACTIONAL);
            };
        }
    }

    @Param
    public Statement statement = Statement.READ;

    private Classification classification = statement.classification();
    private final Path folder;
    private final StatementRouter router;

    public RouterBenchmark() {
        try {
            folder = Files.createTempDirectory("multimed-benchmark-");
        } catch (IOException e) {
            throw new IllegalStateException("the folder for temporary files is not writable", e);
        }
        Engine engine = AnyEngine.find();
        router = new StatementRouter(
                new ClientContext(
                        1,
                        null,
                        new TransactionState(),
                        new SessionTimeZone(engine.dialect(), "UTC"),
                        statements(engine.dialect()),
                        null,
                        PhaseClock.OFF),
                new PinnedSessions(2),
                Connection.TRANSACTION_READ_COMMITTED,
                true,
                false);
    }

    private StatementState statements(SqlDialect dialect) {
        UploadFolder uploads = new UploadFolder(folder);
        LargeResults large = new LargeResults(new MemoryBudget(1 << 20), uploads);
        Cancellation cancellation = new Cancellation();
        return new StatementState(
                new StatementSlots(),
                new OpenCursors(cancellation, dialect, large, uploads),
                new UploadedValues(uploads, dialect.values().copiesOfSent()),
                large,
                new LastGeneratedKey(dialect.sessions().lastKeys()),
                cancellation);
    }

    @Setup
    public void classify() {
        classification = statement.classification();
    }

    @TearDown
    public void removeFolder() throws IOException {
        Files.delete(folder);
    }

    @Benchmark
    public StatementPlan plan() {
        return router.plan(new StatementTask(
                new Receipt(1, 1),
                TransactionMode.DEFAULT,
                classification,
                false,
                null,
                null,
                new StatementWork.Plain((connection, whole) -> {
                    throw new IllegalStateException("a router executes nothing");
                }),
                response -> {}));
    }
}

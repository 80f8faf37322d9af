// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import io.multimed.engine.dialect.EngineValues;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.JoinedStatements;
import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SealResult;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.protocol.response.BatchExecuted;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.response.ResultSetHead;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.statement.CallOptions;
import io.multimed.protocol.statement.ExecuteOptions;
import io.multimed.protocol.statement.GeneratedKeys;
import io.multimed.protocol.statement.StatementText;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.Warning;
import io.multimed.server.dispatcher.classification.ClassifiedText;
import io.multimed.server.dispatcher.statement.ResultEncoder.Origins;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs statements of one session on the connection to which its transaction is bound, and encodes their results.
 * Remembers which columns of each statement the client knows, and which result sets are open. Used by one thread at a
 * time.
 */
public final class StatementRunner {
    private final StatementSlots slots;
    private final OpenCursors cursors;
    private final UploadedValues uploads;
    private final LastGeneratedKey lastKey;
    private final EngineValues values;
    private final LargeResults large;
    private final CancellableStatements cancellable;
    private final BooleanSupplier mayStoreViews;

    /**
     * @param mayStoreViews returns whether a satellite may store the rows of views: the tables that such a satellite
     * names with a result are not those of the master
     */
    public StatementRunner(StatementState state, SqlDialect dialect, BooleanSupplier mayStoreViews) {
        this.values = dialect.values();
        this.mayStoreViews = mayStoreViews;
        this.slots = state.slots();
        this.cursors = state.cursors();
        this.uploads = state.uploads();
        this.large = state.large();
        this.lastKey = state.lastKey();
        this.cancellable = new CancellableStatements(state.cancellation(), dialect);
    }

    /**
     * Runs one statement.
     *
     * @param whole whether all rows must be read now, because the statement's transaction ends with it
     */
    public Executed execute(
            Connection connection,
            StatementText text,
            ClassifiedText classified,
            List<Parameter> parameters,
            ExecuteOptions requested,
            boolean whole)
            throws SQLException {
        String sql = classified.sql();
        ExecuteOptions options = options(requested, classified);
        boolean streams = !whole && options.fetchSize() > 0;
        boolean wholeCursors = whole || connection.getAutoCommit();
        if (streams && values.streamsInTransactionsOnly() && connection.getAutoCommit()) {
            connection.setAutoCommit(false); // the transaction ends with the result set
        }
        Statement statement = text.prepared() ? prepareOne(connection, sql, options) : connection.createStatement();
        boolean keepOpen = false;
        try {
            configure(statement, options, connection);
            if (streams && options.call() == null) {
                values.stream(statement, sql, options.fetchSize());
            }
            boolean rows = run(connection, statement, sql, parameters, options.keys());
            lastKey.ran(statement);
            Results results = new Results(
                    statement,
                    text.slot(),
                    origins(classified),
                    options.fetchSize(),
                    whole,
                    following(connection, whole));
            Outcome.Rowset keys =
                    keys(statement, options); // some engines' drivers lose the generated keys at the first result
            List<Outcome> outcomes =
                    rows ? cancellable.resume(connection, () -> results.collect(true)) : results.collect(false);
            keepOpen = results.leftOpen;
            OutParameters outs = outs(statement, options);
            return new Executed(
                    SessionStatus.NONE,
                    results.withCursors(outcomes, outs.cursors(), wholeCursors),
                    keys == null ? outs.row() : keys,
                    warnings(statement.getWarnings()));
        } finally {
            if (!keepOpen) {
                statement.close();
            }
        }
    }

    /**
     * Returns the options of an execution. A CallableStatement whose text is a query is executed as a prepared
     * statement: the engine's driver may refuse any CallableStatement on the read-only connection of a satellite.
     */
    private static ExecuteOptions options(ExecuteOptions requested, ClassifiedText text) {
        CallOptions call = requested.call();
        return call != null && call.outs().isEmpty() && text.classification().changesNothing()
                ? requested.withoutCall()
                : requested;
    }

    /** Returns what is known of the result's tables: reads may have run on a satellite. */
    private Origins origins(ClassifiedText text) {
        return switch (text.classification().kind()) {
            case PURE_READ, QUERY -> originsOfReads();
            default -> Origins.OF_THE_MASTER;
        };
    }

    private Origins originsOfReads() {
        return mayStoreViews.getAsBoolean() ? Origins.UNKNOWN : Origins.LIKE_ON_EVERY_NODE;
    }

    /** Returns the collector of large values; null for the answer of a commit, which must contain all values. */
    private @Nullable LargeResults following(Connection connection, boolean whole) throws SQLException {
        return whole && !connection.getAutoCommit() ? null : large;
    }

    /** The result of a statement that was sealed together with its execution. */
    public record Sealed(Executed executed, SealResult commit, SessionFate fate) {}

    /**
     * Runs one statement that returns no rows, seals its WriteSet and commits, in one round trip.
     *
     * @param durable as for {@link PiggybackCommit#bind}
     */
    public Sealed executeSealed(
            Connection connection,
            PiggybackCommit commit,
            ClassifiedText text,
            List<Parameter> parameters,
            Receipt receipt,
            boolean durable)
            throws SQLException {
        String sql = text.sql();
        try (PreparedStatement statement = connection.prepareStatement(commit.text(sql))) {
            values.prepared(statement, sql);
            ParameterBinder.bind(statement, parameters, uploads);
            commit.bind(statement, parameters.size(), receipt, durable);
            cancellable(connection, statement, statement::execute);
            Executed executed = counted(statement);
            SessionFate fate = new SessionFate(false);
            return new Sealed(executed, commit.result(statement, fate), fate);
        }
    }

    /** Runs one statement that returns no rows on a shared connection. */
    public Executed executeShared(Connection connection, ClassifiedText text, List<Parameter> parameters)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text.sql())) {
            ParameterBinder.bind(statement, parameters, uploads);
            cancellable(connection, statement, statement::execute);
            Executed executed = counted(statement);
            lastKey.ranOnShared(statement, connection);
            return executed;
        }
    }

    /**
     * Sets the parameters of one of several executions that a statement consists of.
     *
     * @param first index of the first parameter in the statement, from 1
     */
    public void bind(PreparedStatement statement, int first, List<Parameter> parameters) throws SQLException {
        ParameterBinder.bind(statement, first, parameters, uploads);
    }

    /** A complete result that has not been sent to the client yet. */
    public record Encoded(List<Column> columns, io.multimed.protocol.response.Rows rows) {
        /** Returns the size of the rows in bytes. */
        public int bytes() {
            return rows.data().length;
        }
    }

    /** Encodes all rows of a result. */
    public Encoded encode(ResultSet rows, StatementText text) throws SQLException {
        ResultEncoder encoder = new ResultEncoder(rows, values, originsOfReads(), slots.columns(text.slot()), null);
        return new Encoded(encoder.columns(), encoder.next(0, true));
    }

    /** Returns the answer with an encoded result. The client knows the columns from now on. */
    public Executed answer(Encoded result, StatementText text) {
        boolean same = slots.knowsColumns(text.slot(), result.columns());
        ResultSetHead head = new ResultSetHead(0, same, same ? List.of() : result.columns());
        return new Executed(SessionStatus.NONE, List.of(new Outcome.Rowset(head, result.rows())), null, List.of());
    }

    /**
     * Returns the result of an execution that returned nothing but one complete set of rows; null if it returned
     * something else.
     */
    public @Nullable Encoded complete(Response response, StatementText text) {
        if (response instanceof Executed executed
                && executed.outcomes().size() == 1
                && executed.outcomes().get(0) instanceof Outcome.Rowset rowset
                && executed.keys() == null
                && executed.warnings().isEmpty()
                && rowset.head().cursor() == 0
                && rowset.first().last()
                && rowset.first().large().isEmpty()) {
            List<Column> columns = rowset.head().sameColumns()
                    ? slots.columns(text.slot())
                    : rowset.head().columns();
            return columns == null ? null : new Encoded(columns, rowset.first());
        }
        return null;
    }

    /** Returns what cancels the statement that runs. */
    public Cancellation cancellation() {
        return cancellable.cancellation();
    }

    /** Adds an execution of a statement that returns no rows to a batch. */
    public void addTo(PreparedStatement batch, List<Parameter> parameters) throws SQLException {
        ParameterBinder.bind(batch, parameters, uploads);
        batch.addBatch();
    }

    /**
     * Adds a statement that returns no rows to a message.
     *
     * @return false if the statement must be sent alone
     */
    public boolean addTo(JoinedStatements message, ClassifiedText text, List<Parameter> parameters, boolean asksKey)
            throws SQLException {
        PreparedStatement statement = message.prepare(text.sql());
        ParameterBinder.bind(statement, parameters, uploads);
        return message.add(statement, asksKey);
    }

    /** Returns the client's answer to a statement of a message. */
    public Executed answered(JoinedStatements.Answer answer) {
        answer.lastKey().ifPresent(lastKey::ranOnShared);
        return counted(answer.rows());
    }

    /** Returns the answer to a statement that has changed so many rows. */
    public static Executed counted(long rows) {
        return new Executed(SessionStatus.NONE, List.of(new Outcome.Count(Math.max(0, rows))), null, List.of());
    }

    /** Returns the answer to a statement that returns no rows. */
    private static Executed counted(Statement statement) throws SQLException {
        List<Outcome> count = List.of(new Outcome.Count(Math.max(0, statement.getLargeUpdateCount())));
        return new Executed(SessionStatus.NONE, count, null, warnings(statement.getWarnings()));
    }

    public boolean wasCanceled() {
        return cancellation().wasRequested();
    }

    private <T> T cancellable(Connection connection, Statement statement, CancellableStatements.Step<T> step)
            throws SQLException {
        return cancellable.execute(
                connection, () -> cancellable.dialect().streaming().cancel(statement), step);
    }

    /** Runs a prepared statement once for each row of parameters. */
    public BatchExecuted executeBatch(
            Connection connection, ClassifiedText text, List<List<Parameter>> rows, ExecuteOptions options)
            throws SQLException {
        try (PreparedStatement statement = prepare(connection, text.sql(), options)) {
            for (List<Parameter> row : rows) {
                ParameterBinder.bind(statement, row, uploads);
                statement.addBatch();
            }
            return batch(statement, options, connection);
        }
    }

    /** Runs several statements without parameters. */
    public BatchExecuted executeScript(Connection connection, ClassifiedText script, ExecuteOptions options)
            throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : script.texts()) {
                statement.addBatch(sql);
            }
            return batch(statement, options, connection);
        }
    }

    private BatchExecuted batch(Statement statement, ExecuteOptions options, Connection connection)
            throws SQLException {
        configure(statement, options, connection);
        long[] counts = cancellable(connection, statement, statement::executeLargeBatch);
        lastKey.ran(statement);
        return new BatchExecuted(
                SessionStatus.NONE, counts, keys(statement, options.keys()), warnings(statement.getWarnings()));
    }

    private static void configure(Statement statement, ExecuteOptions options, Connection connection)
            throws SQLException {
        if (options.maxRows() > Integer.MAX_VALUE) {
            statement.setLargeMaxRows(options.maxRows());
        } else if (options.maxRows() > 0) {
            statement.setMaxRows((int) options.maxRows());
        }
        if (options.fetchSize() > 0 && !connection.getAutoCommit()) {
            statement.setFetchSize(options.fetchSize());
        }
    }

    private boolean run(
            Connection connection, Statement statement, String sql, List<Parameter> parameters, GeneratedKeys keys)
            throws SQLException {
        if (statement instanceof PreparedStatement prepared) {
            ParameterBinder.bind(prepared, parameters, uploads);
            return cancellable(connection, statement, prepared::execute);
        }
        return cancellable(connection, statement, () -> KeyedStatements.execute(statement, sql, keys));
    }

    private PreparedStatement prepareOne(Connection connection, String sql, ExecuteOptions options)
            throws SQLException {
        Optional<PreparedStatement> prepared = uploads.isEmpty() || options.call() != null
                ? Optional.empty()
                : values.prepareForLarge(connection, sql, options.keys().wanted());
        return prepared.isPresent() ? prepared.get() : prepare(connection, sql, options);
    }

    private PreparedStatement prepare(Connection connection, String sql, ExecuteOptions options) throws SQLException {
        PreparedStatement statement = prepareFor(connection, sql, options);
        values.prepared(statement, sql);
        return statement;
    }

    private static PreparedStatement prepareFor(Connection connection, String sql, ExecuteOptions options)
            throws SQLException {
        CallOptions call = options.call();
        if (call != null) {
            return OutParameters.prepare(connection, sql, call);
        }
        return KeyedStatements.prepare(connection, sql, options.keys());
    }

    private OutParameters outs(Statement statement, ExecuteOptions options) throws SQLException {
        CallOptions call = options.call();
        return call != null && statement instanceof CallableStatement called
                ? OutParameters.of(called, call, values)
                : OutParameters.NONE;
    }

    private Outcome.@Nullable Rowset keys(Statement statement, ExecuteOptions options) throws SQLException {
        return options.call() == null ? keys(statement, options.keys()) : null;
    }

    private Outcome.@Nullable Rowset keys(Statement statement, GeneratedKeys keys) throws SQLException {
        if (!keys.wanted()) {
            return null;
        }
        try (ResultSet rows = statement.getGeneratedKeys()) {
            return whole(rows, values, Origins.OF_THE_MASTER);
        }
    }

    static Outcome.Rowset whole(ResultSet rows, EngineValues values, Origins origins) throws SQLException {
        ResultEncoder encoder = new ResultEncoder(rows, values, origins, null, null);
        return new Outcome.Rowset(new ResultSetHead(0, false, encoder.columns()), encoder.next(0, true));
    }

    private static List<Warning> warnings(@Nullable SQLWarning first) {
        if (first == null) {
            return List.of();
        }
        List<Warning> warnings = new ArrayList<>();
        for (SQLWarning warning = first; warning != null; warning = warning.getNextWarning()) {
            warnings.add(new Warning(
                    Objects.requireNonNullElse(warning.getSQLState(), "01000"),
                    warning.getErrorCode(),
                    String.valueOf(warning.getMessage())));
        }
        return warnings;
    }

    /**
     * Collects the results of one statement, in order. Only a single result can remain open; several ones are read
     * completely.
     */
    private final class Results {
        private final Statement statement;
        private final int slot;
        private final Origins origins;
        private final int fetchSize;
        private final boolean whole;
        private final @Nullable LargeResults following;
        private boolean leftOpen;

        Results(
                Statement statement,
                int slot,
                Origins origins,
                int fetchSize,
                boolean whole,
                @Nullable LargeResults following) {
            this.statement = statement;
            this.slot = slot;
            this.origins = origins;
            this.fetchSize = fetchSize;
            this.whole = whole;
            this.following = following;
        }

        List<Outcome> collect(boolean firstIsRows) throws SQLException {
            if (firstIsRows) {
                ResultSet rows = statement.getResultSet();
                return hasMore() ? collectRest(whole(rows, values, origins)) : List.of(rowset(rows));
            }
            Outcome count = new Outcome.Count(statement.getLargeUpdateCount());
            return hasMore() ? collectRest(count) : List.of(count);
        }

        /**
         * Moves to the next result. Returns false if there is none, or if rows are being transferred one by one: such a
         * result is the only one, and the driver would read all of its rows before it answers.
         */
        private boolean hasMore() throws SQLException {
            boolean rowByRow = statement.getFetchSize() < 0;
            return !rowByRow
                    && (statement.getMoreResults(Statement.KEEP_CURRENT_RESULT) || statement.getUpdateCount() != -1);
        }

        /** Collects the results of a text with several statements. Such texts are rare, so all rows are read. */
        private List<Outcome> collectRest(Outcome first) throws SQLException {
            List<Outcome> outcomes = new ArrayList<>(List.of(first));
            while (true) {
                ResultSet rows = statement.getResultSet();
                if (rows != null) {
                    outcomes.add(whole(rows, values, origins));
                } else if (statement.getUpdateCount() != -1) {
                    outcomes.add(new Outcome.Count(statement.getLargeUpdateCount()));
                } else {
                    return outcomes;
                }
                statement.getMoreResults();
            }
        }

        /** Returns the outcomes, followed by the rows of the call's cursors, each of which has its own statement. */
        List<Outcome> withCursors(List<Outcome> outcomes, List<ResultSet> given, boolean all) throws SQLException {
            if (given.isEmpty()) {
                return outcomes;
            }
            List<Outcome> more = new ArrayList<>(outcomes);
            for (ResultSet rows : given) {
                ResultEncoder encoder = new ResultEncoder(rows, values, Origins.OF_THE_MASTER, null, following);
                io.multimed.protocol.response.Rows first = encoder.next(fetchSize, all);
                int cursor = first.last() ? 0 : cursors.open(new OpenCursor(rows.getStatement(), encoder));
                if (first.last()) {
                    rows.getStatement().close();
                }
                more.add(new Outcome.Rowset(new ResultSetHead(cursor, false, encoder.columns()), first));
            }
            return more;
        }

        private Outcome rowset(ResultSet rows) throws SQLException {
            ResultEncoder encoder = new ResultEncoder(rows, values, origins, slots.columns(slot), following);
            io.multimed.protocol.response.Rows first = encoder.next(fetchSize, whole);
            int cursor = 0;
            if (!first.last()) {
                cursor = cursors.open(new OpenCursor(statement, encoder));
                leftOpen = true;
            }
            boolean same = slots.knowsColumns(slot, encoder.columns());
            return new Outcome.Rowset(new ResultSetHead(cursor, same, same ? List.of() : encoder.columns()), first);
        }
    }
}

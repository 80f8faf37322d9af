// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.Classification.Kind;
import io.multimed.engine.sql.Classification.Trait;
import io.multimed.engine.sql.HiddenState;
import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.sql.ReadRules;
import io.multimed.engine.sql.Reading;
import io.multimed.engine.sql.SqlReader;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.sql.Token;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Classifies PostgreSQL's statements by their first words and by words in them. Statements that this class does not
 * recognize run on the master, where the engine decides. Stateless.
 */
public final class PostgresReader implements SqlReader {
    /** First words of statements that, with CONCURRENTLY, run outside of transactions only. */
    private static final Set<String> MAYBE_CONCURRENT = Set.of("CREATE", "DROP", "REINDEX", "ALTER");

    private static final Set<String> CHANGES = Set.of("INSERT", "UPDATE", "DELETE", "MERGE");

    /** First words of statements that leave no work for the commit, unless they change rows or run code of users. */
    private static final Set<String> PLAIN = Set.of(
            "INSERT",
            "UPDATE",
            "DELETE",
            "MERGE",
            "SELECT",
            "WITH",
            "VALUES",
            "TABLE",
            "(",
            "LOCK",
            "SET",
            "SHOW",
            "SAVEPOINT",
            "RELEASE",
            "ROLLBACK",
            "ABORT",
            ";",
            "");

    /** Words of a VACUUM without a table. */
    private static final Set<String> VACUUM_WORDS = Set.of("VACUUM", "FULL", "FREEZE", "VERBOSE", "ANALYZE", "ANALYSE");

    private static final Set<String> QUERIES = Set.of("SELECT", "WITH", "VALUES", "TABLE", "(");

    /** First words of other statements that evaluate no expression, and therefore leave nothing in the session. */
    private static final Set<String> LEAVING_NOTHING = Set.of(
            "EXPLAIN",
            "SHOW",
            "TRUNCATE",
            "COMMENT",
            "GRANT",
            "REVOKE",
            "SECURITY",
            "REASSIGN",
            "NOTIFY",
            "CHECKPOINT",
            "CLUSTER");

    /** Kinds of objects for which CREATE and ALTER may evaluate queries and expressions at once. */
    private static final Set<String> EVALUATED = Set.of("TABLE", "DOMAIN", "SCHEMA", "FOREIGN", "MATERIALIZED");

    private static final Set<String> BEFORE_KIND = Set.of("UNLOGGED", "GLOBAL", "LOCAL", "OR", "REPLACE");

    private final ReadRules rules;
    private final boolean refusesTablespaces;

    public PostgresReader() {
        this(new PostgresReadRules(), false);
    }

    private PostgresReader(ReadRules rules, boolean refusesTablespaces) {
        this.rules = rules;
        this.refusesTablespaces = refusesTablespaces;
    }

    /**
     * Returns the reader for satellites that are standbys.
     *
     * @param refusesTablespaces whether the standbys replay CREATE TABLESPACE on the machine of the master
     */
    public static PostgresReader ofStandbys(boolean refusesTablespaces) {
        return new PostgresReader(new StandbyReadRules(), refusesTablespaces);
    }

    /** Uses standard_conforming_strings = on, the engine's default. */
    @Override
    public SqlText read(String sql) {
        return new PostgresTokens(sql, true).scan();
    }

    @Override
    public Reading reading(String sql) {
        return PostgresTexts.read(sql);
    }

    @Override
    public ReadRules readRules() {
        return rules;
    }

    @Override
    public boolean changesRowsOnly(SqlText statement) {
        return CHANGES.contains(statement.word(0)) && !statement.has("RETURNING");
    }

    @Override
    public Classification classify(SqlText statement, Supplier<ReadProof> proof) {
        SqlText analyzed = AnalyzedStatements.of(statement);
        if (analyzed != null) {
            return AnalyzedStatements.explained(classify(analyzed, proof));
        }
        Classification examined = examine(statement, proof);
        Classification classification = StateInFunctions.mayRun(examined)
                ? withHiddenState(examined, statement, proof.get().hiddenState())
                : examined;
        Classification known = dependsOnSession(statement, classification, proof)
                ? classification.with(Classification.Trait.DEPENDS_ON_SESSION)
                : classification;
        return mayDefer(statement, known, proof) ? known.with(Classification.Trait.MAY_DEFER) : known;
    }

    /** Returns whether a query for which nothing is proved, or a cursor of any query, may depend on the session. */
    private static boolean dependsOnSession(
            SqlText statement, Classification classification, Supplier<ReadProof> proof) {
        if (classification.kind() != Kind.MASTER) {
            return false;
        }
        if (QUERIES.contains(statement.word(0))) {
            return proof.get().dependsOnSession(statement.tokens());
        }
        List<Token> tokens = statement.tokens();
        int query = statement.isAt(0, "DECLARE") ? 1 : tokens.size();
        while (query < tokens.size() && !tokens.get(query - 1).is("FOR")) {
            query++;
        }
        return query < tokens.size() && proof.get().dependsOnSession(tokens.subList(query, tokens.size()));
    }

    private static Classification withHiddenState(Classification examined, SqlText statement, HiddenState hidden) {
        Set<String> settings = new HashSet<>(PostgresSessionStatements.settingsOfTexts(statement));
        settings.addAll(examined.settings());
        return StateInFunctions.examined(examined.withSettings(settings), statement, hidden);
    }

    /**
     * Returns whether the statement may leave work for the commit. A pure read runs no code that can create any. For a
     * change of rows the tables and functions decide, and the code that it runs without naming it.
     */
    private static boolean mayDefer(SqlText statement, Classification classification, Supplier<ReadProof> proof) {
        return switch (classification.kind()) {
            case SESSION_STATE, SAME_SESSION -> true;
            case EFFECT -> classification.review() == Classification.Review.ALWAYS;
            case MASTER -> {
                if (classification.has(Classification.Trait.SHAREABLE)) {
                    yield false;
                }
                yield isAboutRows(statement)
                        ? proof.get().mayDefer(statement) || runsHiddenCode(statement, proof)
                        : classification.review() != Classification.Review.NEVER || !PLAIN.contains(statement.word(0));
            }
            default -> false;
        };
    }

    private static boolean runsHiddenCode(SqlText statement, Supplier<ReadProof> proof) {
        Classification unknown = Classification.of(Kind.MASTER);
        return StateInFunctions.examined(unknown, statement, proof.get().hiddenState())
                        .review()
                != Classification.Review.NEVER;
    }

    private static boolean isAboutRows(SqlText statement) {
        return CHANGES.contains(statement.word(0)) || QUERIES.contains(statement.word(0));
    }

    /**
     * Examines, in this order: Multimed's own objects, statements that cannot run in a transaction, session state, and
     * the first word.
     */
    private Classification examine(SqlText statement, Supplier<ReadProof> proof) {
        if (OwnObjects.isNamed(statement)) {
            return Classification.refused(
                    "schema and settings multimed belong to Multimed: clients can neither read nor change them");
        }
        if (isVacuumFullOfAll(statement)) {
            return Classification.refused(
                    "VACUUM FULL of all tables is not supported through Multimed: it would stop all commits until the open transactions end; name the tables");
        }
        if (PostgresSessionStatements.storesCaptureSetting(statement)) {
            return PostgresSessionStatements.refusedSetting();
        }
        if (refusesTablespaces && statement.isAt(0, "CREATE") && statement.isAt(1, "TABLESPACE")) {
            return Classification.refused(
                    "CREATE TABLESPACE is not supported with standbys that Multimed starts: they would use the folder of the master; use servers that Multimed does not start (source: external)");
        }
        if (isNonTransactional(statement)) {
            return Classification.of(Kind.NON_TRANSACTIONAL, Classification.Review.ALWAYS); // by event triggers
        }
        Classification ofSession = PostgresSessionStatements.of(statement);
        if (ofSession != null && !statement.isAt(0, "DROP")) {
            return ofSession;
        }
        return switch (statement.word(0)) {
            case "SELECT", "WITH", "VALUES", "TABLE", "(" -> query(statement, proof);
            case "BEGIN", "START" -> PostgresTransactionStatements.begin(statement);
            case "COMMIT", "END" -> PostgresTransactionStatements.end(Kind.COMMIT, statement);
            case "ROLLBACK", "ABORT" ->
                goesBackOnly(statement)
                        ? PostgresTransactionStatements.within("ROLLBACK TO SAVEPOINT")
                        : PostgresTransactionStatements.end(Kind.ROLLBACK, statement);
            case "SAVEPOINT" -> PostgresTransactionStatements.within("SAVEPOINT");
            case "RELEASE" -> PostgresTransactionStatements.within("RELEASE SAVEPOINT");
            case "LOCK" -> PostgresTransactionStatements.within("LOCK TABLE");
            case "ANALYZE" -> Classification.of(Kind.EVERYWHERE);
            case "COPY" -> Classification.refused("COPY is not supported through Multimed: use batches of INSERT");
            case "ALTER", "DROP" -> change(statement, ofSession);
            case "INSERT", "UPDATE", "DELETE", "MERGE" -> rowChange(statement, proof);
            case "", ";" -> Classification.of(Kind.MASTER).with(Trait.EMPTY);
            case "CREATE", "IMPORT", "REINDEX" -> definition(statement);
            case "REFRESH" -> PostgresSessionStatements.evaluating(statement, Classification.of(Kind.MASTER));
            default ->
                LEAVING_NOTHING.contains(statement.word(0))
                        ? Classification.of(Kind.MASTER)
                        : PostgresSessionStatements.evaluating(statement, Classification.of(Kind.MASTER));
        };
    }

    /**
     * Classifies CREATE and the like, which evaluate queries, but not the bodies and queries that they only store.
     * These concern later statements of the transaction.
     */
    private static Classification definition(SqlText statement) {
        Classification defining = Classification.of(Kind.MASTER)
                .with(Trait.MAY_CHANGE_SCHEMA)
                .withSettings(StateInFunctions.settingsOf(statement.text()));
        boolean evaluates = statement.isAt(1, "MATERIALIZED")
                || (statement.hasAny(Set.of("AS", "PARTITION")) && EVALUATED.contains(what(statement)));
        return evaluates ? PostgresSessionStatements.evaluating(statement, defining) : defining;
    }

    /** Returns the kind of object that a CREATE creates. */
    private static String what(SqlText statement) {
        int at = 1;
        while (BEFORE_KIND.contains(statement.word(at))) {
            at++;
        }
        return statement.word(at);
    }

    private Classification rowChange(SqlText statement, Supplier<ReadProof> proof) {
        Classification ofSession = PostgresSessionStatements.ofChange(statement);
        if (ofSession != null) {
            return ofSession;
        }
        ReadProof known = proof.get();
        if (!changesRowsOnly(statement)) {
            return changeAlone(statement, known);
        }
        if (ShareableChange.isCandidate(statement) && ShareableChange.isShareable(statement, known)) {
            Classification shareable = Classification.shareable(ShareableChange.tables(statement, known));
            return ShareableChange.mayTakeDefaults(statement) ? shareable.with(Trait.TAKES_SEQUENCE_VALUES) : shareable;
        }
        Classification alone = changeAlone(statement, known);
        return known.mayHandleErrors() ? alone.with(Trait.MAY_HANDLE_ERRORS) : alone;
    }

    private static Classification changeAlone(SqlText statement, ReadProof proof) {
        return Classification.of(
                Kind.MASTER,
                proof.mayLeaveState(statement) ? Classification.Review.ALWAYS : Classification.Review.NEVER);
    }

    private static Classification query(SqlText statement, Supplier<ReadProof> proof) {
        Classification ofSession = PostgresSessionStatements.ofQuery(statement);
        if (ofSession != null) {
            return ofSession;
        }
        Classification query = proof.get().of(statement);
        SqlText unlocked = query.kind() == Kind.MASTER ? LockingRead.withoutLocks(statement) : null;
        return unlocked != null && proof.get().of(unlocked).leavesNothingToCommit()
                ? query.with(Trait.LOCKS_ROWS).with(Trait.TAKES_SEQUENCE_VALUES) // by a view
                : query;
    }

    /** Returns whether the statement is ROLLBACK [WORK | TRANSACTION] TO a savepoint. */
    private static boolean goesBackOnly(SqlText statement) {
        return statement.isAt(1, "TO") || statement.isAt(2, "TO");
    }

    /**
     * Classifies ALTER and DROP. Refuses changes of Multimed's event triggers and schema: event triggers do not fire
     * for statements on event triggers, and cannot report that they are dropped.
     */
    private static Classification change(SqlText statement, @Nullable Classification ofSession) {
        String what = statement.word(1);
        boolean capture = (what.equals("EVENT") || what.equals("SCHEMA"))
                && statement.tokens().stream().anyMatch(PostgresReader::isMultimeds);
        if (capture) {
            return Classification.refused(
                    "the event triggers and the schema of Multimed cannot be changed or dropped: without them, changes would not reach the satellites; use other names for your own objects");
        }
        if (ofSession != null) {
            return ofSession.with(Trait.MAY_CHANGE_SCHEMA);
        }
        Classification changing = Classification.of(Kind.MASTER)
                .with(
                        PostgresSessionStatements.storesSetting(statement)
                                ? Trait.CHANGES_DEFAULTS
                                : Trait.MAY_CHANGE_SCHEMA);
        return EVALUATED.contains(what) && statement.tokens().stream().anyMatch(token -> token.isSign("("))
                ? PostgresSessionStatements.evaluating(statement, changing)
                : changing;
    }

    /** Returns whether a name belongs to Multimed, quoted or not. */
    private static boolean isMultimeds(Token token) {
        String name = token.text().replace("\"", "").toLowerCase(Locale.ROOT);
        return name.equals("multimed") || name.startsWith("multimed_");
    }

    /**
     * Returns whether the statement is VACUUM FULL of all tables. It would wait for all open transactions that have
     * changed something, because it locks Multimed's own tables exclusively, and all other transactions would wait for
     * it.
     */
    private static boolean isVacuumFullOfAll(SqlText statement) {
        if (!statement.isAt(0, "VACUUM") || !statement.has("FULL")) {
            return false;
        }
        int last = statement.tokens().size() - 1;
        return statement.isSignAt(1, "(")
                ? statement.isSignAt(last, ")") && closing(statement) == last
                : statement.tokens().stream().allMatch(token -> VACUUM_WORDS.contains(token.text()));
    }

    /** Returns the index of the first closing parenthesis. */
    private static int closing(SqlText statement) {
        int at = 1;
        while (at < statement.tokens().size() && !statement.isSignAt(at, ")")) {
            at++;
        }
        return at;
    }

    /** Returns whether the engine runs the statement outside of transactions only. */
    private static boolean isNonTransactional(SqlText statement) {
        String first = statement.word(0);
        String second = statement.word(1);
        return first.equals("VACUUM")
                || (first.equals("ALTER") && second.equals("SYSTEM"))
                || ((first.equals("CREATE") || first.equals("DROP"))
                        && (second.equals("DATABASE") || second.equals("TABLESPACE")))
                || (first.equals("REINDEX")
                        && Set.of("DATABASE", "SYSTEM", "SCHEMA").contains(second))
                || (MAYBE_CONCURRENT.contains(first) && statement.has("CONCURRENTLY"));
    }

    @Override
    public Optional<String> repeated(String query, int times) {
        return PostgresTexts.repeated(query, times);
    }
}

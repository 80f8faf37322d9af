// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.CCJSqlParserUtil;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.statement.Statement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the SQL parser within limits: for some texts its time doubles with each level of parentheses, and for deep ones
 * its stack overflows. The tokens are checked first, and parsing stops when it has used too much processor time.
 * Waiting for a processor does not count, so that a busy machine parses the same texts as an idle one.
 */
final class QueryParser {
    private static final Logger LOG = LoggerFactory.getLogger(QueryParser.class);

    /** Limits for texts that are parsed: characters, tokens, and levels of parentheses. */
    private static final int MAX_CHARACTERS = 100_000;

    private static final int MAX_WORDS = 20_000;
    private static final int DEEPEST = 25;

    /** Limit of processor time for one text. */
    private static final long BUDGET_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Total limit while the parser's own code is not compiled yet. */
    private static final long COLD_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Interval at which the watch checks each parser. */
    private static final int LOOK_MILLIS = 10;

    /** Time for which the thread of the watch waits for the next parser. */
    private static final int KEEP_MILLIS = 1_000;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    /** Processor time that all parsers have used so far. */
    private static final AtomicLong SPENT = new AtomicLong();

    /** Checks the parsers that run; has one task for each of them. */
    private static final ScheduledThreadPoolExecutor WATCH = timer();

    private final String sql;
    private final long thread = Thread.currentThread().getId();
    private final long begun = cpuNanos();
    private final long budget = BUDGET_NANOS + Math.max(0, COLD_NANOS - SPENT.get());

    /** Set by the watch, which also stops the parser. */
    private volatile boolean spent;

    private volatile @Nullable CCJSqlParser running;

    private QueryParser(String sql) {
        this.sql = sql;
    }

    private static ScheduledThreadPoolExecutor timer() {
        ScheduledThreadPoolExecutor watch = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "parser-watch");
            thread.setDaemon(true);
            return thread;
        });
        watch.setRemoveOnCancelPolicy(true);
        // The thread would keep the classes of an application that is unloaded.
        watch.setKeepAliveTime(KEEP_MILLIS, TimeUnit.MILLISECONDS);
        watch.allowCoreThreadTimeOut(true);
        return watch;
    }

    /** Returns null if the text cannot be parsed, or would cost too much. */
    static @Nullable Statement parse(String sql, List<Token> tokens) {
        return sql.length() > MAX_CHARACTERS || tokens.size() > MAX_WORDS || depth(tokens) > DEEPEST
                ? null
                : new QueryParser(sql).parse();
    }

    /** Returns the maximum nesting depth of parentheses, brackets, braces and CASEs. */
    private static int depth(List<Token> tokens) {
        int depth = 0;
        int deepest = 0;
        for (Token token : tokens) {
            switch (token.kind() == Token.Kind.STRING || token.kind() == Token.Kind.QUOTED_NAME ? "" : token.text()) {
                case "(", "[", "{", "CASE" -> deepest = Math.max(deepest, ++depth);
                case ")", "]", "}", "END" -> depth--;
                default -> {}
            }
        }
        return deepest;
    }

    /** Parses with the parser's simple grammar first, which is faster, then with its complete one. */
    private @Nullable Statement parse() {
        Future<?> watching =
                WATCH.scheduleAtFixedRate(this::interruptIfSpent, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        try {
            Statement simple = parse(false);
            return simple != null || spent ? simple : parse(true);
        } finally {
            watching.cancel(false);
            SPENT.addAndGet(cpuNanos() - begun);
        }
    }

    private @Nullable Statement parse(boolean complex) {
        CCJSqlParser parser = CCJSqlParserUtil.newParser(sql).withAllowComplexParsing(complex);
        running = parser;
        try {
            Statement statement = parser.Statement();
            return spent ? null : statement;
        } catch (ParseException | RuntimeException | StackOverflowError e) {
            LOG.trace("not understood", e);
            return null;
        }
    }

    /** Runs on the thread of the watch: interrupts the parser when its time is used up. */
    private void interruptIfSpent() {
        CCJSqlParser parser = running;
        if (parser != null && cpuNanos() - begun > budget) {
            spent = true;
            parser.interrupted = true;
        }
    }

    /**
     * Returns the processor time of the parser's thread; elapsed time if the Java machine does not measure it, as for
     * virtual threads.
     */
    private long cpuNanos() {
        long used = THREADS.isThreadCpuTimeSupported() ? THREADS.getThreadCpuTime(thread) : -1;
        return used < 0 ? System.nanoTime() : used;
    }
}

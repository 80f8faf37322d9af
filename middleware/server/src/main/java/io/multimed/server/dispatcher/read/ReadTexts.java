// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.read;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.SqlReader;
import io.multimed.engine.sql.SqlText;
import io.multimed.engine.writeset.Scn;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.statement.ExecuteOptions;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.UploadedValue;
import io.multimed.server.dispatcher.cache.CacheableRead;
import io.multimed.server.dispatcher.cache.ResultCache;
import io.multimed.server.dispatcher.classification.ClassifiedText;
import io.multimed.server.dispatcher.statement.StatementAction;
import io.multimed.server.dispatcher.statement.StatementRunner;
import io.multimed.server.propagation.freshness.Dependencies;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Knows which reads may run on the lanes of a node: prepared ones that run no code of users, and were short so far.
 * Cached by text, up to a fixed size. Thread-safe.
 */
public final class ReadTexts {
    private static final int MAX_TEXT_LENGTH = 8_000;

    /** Of all texts, with the text itself and its repetitions. */
    private static final int MAX_BYTES = 64 << 20;

    /** The sum of the powers of two up to the largest message. */
    private static final int COPIES = 31;

    private static final int OVERHEAD = 500;
    private static final int NEVER = -1;

    private final SqlReader reader;
    private final ResultCache cache;
    private final Cache<String, ReadText> texts = Caffeine.newBuilder()
            .maximumWeight(MAX_BYTES)
            .weigher((String sql, ReadText text) -> OVERHEAD + COPIES * sql.length())
            .build();

    /** @param cache keeps the results of such reads */
    public ReadTexts(SqlReader reader, ResultCache cache) {
        this.reader = reader;
        this.cache = cache;
    }

    /**
     * Returns the execution as one that may run on a lane if it stands alone, and whose result may be kept; null if the
     * statement is not suitable.
     *
     * @param zone the time zone of the client's session
     * @param action runs the statement on a connection of its own
     */
    @Nullable
    public ShortRead of(
            ClassifiedText classified, String zone, Execute request, StatementRunner runner, StatementAction action) {
        Classification classification = classified.classification();
        if (!isPlain(classification) || !isPlain(request)) {
            return null;
        }
        ReadText text = texts.get(classified.sql(), this::read);
        return text.parameters() == request.parameters().size()
                ? new ShortRead(
                        action,
                        text,
                        !classification.tables().isEmpty(),
                        cache.of(classification, text, request.parameters(), zone),
                        runner,
                        request)
                : null;
    }

    /** Returns a read as one whose result may be kept if it is prepared; null if the result must not be kept. */
    public @Nullable CacheableRead cacheable(ClassifiedText classified, String zone, List<Parameter> parameters) {
        Classification classification = classified.classification();
        if (!isPlain(classification)) {
            return null;
        }
        ReadText text = texts.get(classified.sql(), this::read);
        return text.parameters() == parameters.size() ? cache.of(classification, text, parameters, zone) : null;
    }

    /** Returns whether nothing has changed after an SCN that matters to a result. */
    public boolean holds(Dependencies dependencies, Scn since) {
        return cache.holds(dependencies, since);
    }

    /** Returns on what the result of a read depends; null if that is unknown. */
    public @Nullable Dependencies dependencies(ClassifiedText classified, List<Parameter> parameters) {
        Classification classification = classified.classification();
        if (!isPlain(classification) || classified.sql().length() > MAX_TEXT_LENGTH) {
            return null;
        }
        ReadText text = texts.get(classified.sql(), this::read);
        return text.parameters() == parameters.size() ? cache.dependencies(classification, text, parameters) : null;
    }

    private static boolean isPlain(Classification classification) {
        return classification.isPureRead()
                && classification.traits().isEmpty()
                && classification.review() == Classification.Review.NEVER;
    }

    private static boolean isPlain(Execute request) {
        return request.text().prepared()
                && request.options().equals(ExecuteOptions.DEFAULT)
                && request.parameters().stream().noneMatch(parameter -> parameter.value() instanceof UploadedValue);
    }

    private ReadText read(String sql) {
        if (sql.length() > MAX_TEXT_LENGTH || sql.indexOf(';') >= 0 || sql.contains("??")) {
            return new ReadText(sql, NEVER, reader);
        }
        SqlText statement = reader.read(sql);
        return new ReadText(sql, statement.placeholders(), reader);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.group;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.sql.SqlText;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.value.ArrayValue;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.TypedNull;
import io.multimed.protocol.value.UploadedValue;
import io.multimed.server.dispatcher.classification.ClassifiedText;
import io.multimed.server.dispatcher.statement.StatementAction;
import io.multimed.server.dispatcher.statement.StatementRunner;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Knows which statements may run inside a commit group: single prepared ones that change rows, return none, and were
 * fast so far. Those of roles must also run no code of users, which could leave something in the session for the next
 * client of the role. Cached by role and text, up to a fixed number of texts: what a role's executions have cost does
 * not affect other roles. Thread-safe.
 */
public final class GroupedStatements {
    private static final int MAX_TEXT_LENGTH = 20_000;
    private static final int STATEMENTS = 5_000;
    private static final int NEVER = -1;

    private final GroupCapabilities capabilities;
    private final SqlDialect dialect;
    private final SharingPolicy policy = SharingPolicy.configured();
    private final Cache<Text, LatencyEstimator> estimators =
            Caffeine.newBuilder().maximumSize(STATEMENTS).build();

    private record Text(@Nullable String role, String sql) {}

    public GroupedStatements(GroupCapabilities capabilities) {
        this.capabilities = capabilities;
        this.dialect = capabilities.dialect();
    }

    /**
     * Returns the execution as one that may run inside a commit group; null if the statement is not suitable.
     *
     * @param role of the engine as which the statement runs; null for the master's user
     * @param shareableTables the tables that the statement changes, if the statement may share a transaction that a
     *     failure of any statement undoes; otherwise empty
     * @param mode of the statement's transaction, which must be in auto-commit mode
     */
    @Nullable
    public GroupedStatement of(
            @Nullable String role,
            ClassifiedText text,
            Set<String> shareableTables,
            Execute request,
            TransactionMode mode,
            StatementRunner runner,
            StatementAction plain) {
        if (isOff() || !isSuitable(mode) || !isPlain(request)) {
            return null;
        }
        Set<String> tables =
                request.parameters().stream().anyMatch(GroupedStatements::namesType) ? Set.of() : shareableTables;
        if (role != null && (!capabilities.roles() || tables.isEmpty())) {
            return null;
        }
        LatencyEstimator latency = estimators.get(new Text(role, text.sql()), this::createEstimator);
        return latency.parameters() == request.parameters().size()
                ? new GroupedStatement(plain, latency, runner, capabilities, role, text, tables, request.parameters())
                : null;
    }

    private boolean isOff() {
        return capabilities.none() || (capabilities.sharesAll() && policy == SharingPolicy.NEVER);
    }

    /** Returns whether the engine converts the value to a type that the client names, maybe by code of users. */
    private static boolean namesType(Parameter parameter) {
        return parameter.value() instanceof ArrayValue || parameter.value() instanceof TypedNull;
    }

    private static boolean isPlain(Execute request) {
        return request.text().prepared()
                && !request.options().keys().wanted()
                && request.options().maxRows() == 0
                && request.options().call() == null
                && request.parameters().stream().noneMatch(parameter -> parameter.value() instanceof UploadedValue)
                && request.options().timeoutSeconds() == 0;
    }

    /** Returns whether the isolation level is suitable. A shared transaction may have a higher level than requested. */
    private boolean isSuitable(TransactionMode mode) {
        int asked = mode.isolation() == 0 ? capabilities.defaultIsolation() : mode.isolation();
        return asked == capabilities.isolation() || (capabilities.sharesAll() && asked < capabilities.isolation());
    }

    private LatencyEstimator createEstimator(Text text) {
        String sql = text.sql();
        if (sql.length() > MAX_TEXT_LENGTH || sql.indexOf(';') >= 0 || sql.contains("??")) {
            return new LatencyEstimator(NEVER, policy);
        }
        SqlText statement = dialect.reader().read(sql);
        // If the engine's driver counts the placeholders differently, the driver refuses the statement before it is
        // sent.
        int parameters = dialect.reader().changesRowsOnly(statement) ? statement.placeholders() : NEVER;
        return new LatencyEstimator(parameters, policy);
    }
}

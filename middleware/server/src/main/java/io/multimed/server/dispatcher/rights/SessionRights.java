// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.rights;

import io.multimed.engine.dialect.CatalogReader;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.ReadRights;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Limits the reads of one client on satellites to those that the client's engine role permits. Thread-safe. */
public final class SessionRights {
    private static final String WHY =
            "the privileges of the role are not known to permit it, so that the master decides";

    private final @Nullable String role;
    private final RoleRights rights;

    /** @param role null if the client's statements run as the master's user of the System Model */
    public SessionRights(@Nullable String role, RoleRights rights) {
        this.role = role;
        this.rights = rights;
        if (role != null) {
            ReadRights unused = rights.of(role); // has them read before the client's first statement
        }
    }

    public @Nullable String role() {
        return role;
    }

    /** Returns whether the client is known to have the privilege to read all relations of a name, in lower case. */
    public boolean mayRead(String name) {
        return role == null || rights.of(role).permit(Set.of(name));
    }

    /**
     * Returns the classification by which a statement of the client is routed: a read that satellites must not run for
     * the role runs on the master, like a query with unknown effects. A statement for all nodes runs on the master
     * only: satellites run such statements with all privileges.
     *
     * @param readOnly whether the application declares the statement's transaction as read-only: only then does a query
     *     run on a satellite whose result differs between nodes
     */
    public Classification limit(Classification classification, boolean readOnly) {
        if (role != null && classification.kind() == Classification.Kind.EVERYWHERE) {
            return Classification.of(Classification.Kind.MASTER);
        }
        return role == null
                        || !mayRunOnSatellite(classification, readOnly)
                        || rights.of(role).permit(classification.names())
                ? classification
                : refused(classification);
    }

    /**
     * Passes on the classification by which a statement is routed, as {@link #limit(Classification, boolean)} returns
     * it, after the master's engine has confirmed that the role may read what the statement reads. The engine confirms
     * each text once, until rights change. Does not block.
     *
     * @param parameters sets the parameters of the statement; null if they can be set only once
     * @param then receives the classification, on this thread or another one
     */
    public void limit(
            Classification classification,
            boolean readOnly,
            String sql,
            CatalogReader.@Nullable Parameters parameters,
            Consumer<Classification> then) {
        Classification limited = limit(classification, readOnly);
        if (role == null || !mayRunOnSatellite(limited, readOnly) || rights.isChecked(role, sql)) {
            then.accept(limited);
        } else if (parameters == null) {
            then.accept(refused(limited));
        } else {
            rights.check(role, sql, parameters, permitted -> then.accept(permitted ? limited : refused(limited)));
        }
    }

    private static boolean mayRunOnSatellite(Classification classification, boolean readOnly) {
        return classification.kind() == Classification.Kind.PURE_READ
                || (readOnly && classification.kind() == Classification.Kind.QUERY);
    }

    private static Classification refused(Classification classification) {
        return Classification.of(Classification.Kind.EFFECT)
                .with(classification.hints())
                .with(classification.review())
                .because(WHY);
    }
}

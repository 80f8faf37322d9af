package io.multimed.server.dispatcher.rights;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.ReadRights;
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
        boolean mayRunOnSatellite = classification.kind() == Classification.Kind.PURE_READ
                || (readOnly && classification.kind() == Classification.Kind.QUERY);
        if (role == null || !mayRunOnSatellite || rights.of(role).permit(classification.names())) {
            return classification;
        }
        return Classification.of(Classification.Kind.EFFECT)
                .with(classification.hints())
                .with(classification.review())
                .because(WHY);
    }
}

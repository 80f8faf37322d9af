package io.multimed.server.dispatcher.execution;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.SharedCommit;
import java.util.Optional;

/**
 * How the master's engine runs, seals and commits a single statement inside a commit group.
 *
 * @param single each in a transaction of its own
 * @param shared several in one transaction; goes before {@code single}
 * @param isolation that the connections for it have
 */
public record GroupCapabilities(
        Optional<PiggybackCommit> single, Optional<SharedCommit> shared, SqlDialect dialect, int isolation) {
    boolean none() {
        return single.isEmpty() && shared.isEmpty();
    }
}

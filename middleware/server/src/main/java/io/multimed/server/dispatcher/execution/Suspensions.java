package io.multimed.server.dispatcher.execution;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Refuses for some time the commits of a role that leave work to the engine (deferred triggers), after one of them has
 * held up all other commits and was stopped (architecture 4.2). Otherwise a client could hold them up again and again.
 * Each further time doubles the duration. Thread-safe; the number of entries is bounded.
 */
public final class Suspensions {
    private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final Duration REMEMBERED = Duration.ofHours(1);
    private static final int ROLES = 10_000;
    private static final String REFUSED = "53400";

    private final Cache<String, Suspension> roles = Caffeine.newBuilder()
            .maximumSize(ROLES)
            .expireAfterWrite(REMEMBERED)
            .build();

    /** @param until by {@link System#nanoTime} */
    private record Suspension(long until, long nanos) {}

    /** Records that a commit of the role was stopped; null for the master's user, who is not suspended. */
    void stopped(@Nullable String role) {
        if (role == null) {
            return;
        }
        Suspension unused = roles.asMap().compute(role, (name, last) -> {
            long nanos = last == null ? FIRST_NANOS : Math.min(LONGEST_NANOS, 2 * last.nanos);
            return new Suspension(System.nanoTime() + nanos, nanos);
        });
    }

    /** @throws SQLException 53400 as long as the role is suspended */
    void admit(@Nullable String role) throws SQLException {
        Suspension last = role == null ? null : roles.getIfPresent(role);
        long left = last == null ? 0 : last.until - System.nanoTime();
        if (left > 0) {
            throw new SQLException(
                    "transactions of role %s with deferred constraints or triggers cannot commit for another %d s, because one of them has held up all other commits: nothing of the transaction is committed"
                            .formatted(role, 1 + TimeUnit.NANOSECONDS.toSeconds(left)),
                    REFUSED);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.master.SessionWait;
import io.multimed.engine.master.SessionWait.Kind;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The times for which the members of one commit group have waited, by what they waited for, and the limits of these
 * times (architecture 4.2). A limit of one kind needs two looks that find this kind; the limits of sums hold also for a
 * member that changes between kinds. Used by one thread.
 */
final class MemberWaits {
    /** Time for which the others wait for a member that waits for a client, or sleeps. */
    private static final long CLIENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * The same for a member that computes: longer than a short computation needs on a busy machine; and for a member
     * that computes, sleeps and waits for clients in turn.
     */
    private static final long COMPUTING_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** The same for a member that waits for an operator, or of which the engine does not tell what it does. */
    private static final long OPERATOR_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The same for a member in which code of users may run, whatever it waits for. */
    private static final long WHOLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Most that one look adds: the middleware may have been stopped before the look. */
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

    private Map<Integer, Times> times = Map.of();

    /** The age of the group at the last look, in nanoseconds. */
    private long age;

    /**
     * @param last kind at the last look
     * @param lasting whether the kind was the same at the look before
     * @param code for clients, for sleep and for computation
     * @param engine for the engine itself
     * @param whole for anything
     */
    private record Times(Kind last, boolean lasting, long code, long engine, long whole) {
        static Times after(@Nullable Times earlier, Kind kind, long nanos) {
            long code = earlier == null ? 0 : earlier.code;
            long engine = earlier == null ? 0 : earlier.engine;
            long whole = earlier == null ? 0 : earlier.whole;
            boolean ofCode = kind == Kind.LOCK || kind == Kind.SLEEP || kind == Kind.COMPUTING;
            return new Times(
                    kind,
                    earlier != null && earlier.last == kind,
                    ofCode ? code + nanos : code,
                    kind == Kind.ENGINE ? engine + nanos : engine,
                    whole + nanos);
        }
    }

    /**
     * Notes what the members that have not returned wait for.
     *
     * @param now age of the group, in nanoseconds
     * @param waits by the engine's session
     */
    void record(long now, Map<Integer, SessionWait> waits) {
        long nanos = Math.min(now - age, MAX_NANOS);
        Map<Integer, Times> next = new HashMap<>();
        waits.forEach((session, wait) -> next.put(session, Times.after(times.get(session), wait.kind(), nanos)));
        times = next;
        age = now;
    }

    /**
     * Returns whether the others have waited too long for a session.
     *
     * @param mayRunCode whether code of users may run in the session, so that the time of the engine counts, too
     */
    boolean isTooLong(int session, boolean mayRunCode) {
        Times own = times.get(session);
        return own != null
                && ((own.lasting && age > limit(own.last))
                        || own.code > COMPUTING_NANOS
                        || own.whole - own.engine > OPERATOR_NANOS
                        || (mayRunCode && own.whole > WHOLE_NANOS));
    }

    private static long limit(Kind kind) {
        return switch (kind) {
            case LOCK, SLEEP -> CLIENT_NANOS;
            case COMPUTING -> COMPUTING_NANOS;
            case OPERATOR -> OPERATOR_NANOS;
            case ENGINE -> Long.MAX_VALUE;
        };
    }
}

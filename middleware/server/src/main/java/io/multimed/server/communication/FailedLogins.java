package io.multimed.server.communication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.mina.core.session.IoSession;
import org.jspecify.annotations.Nullable;

/**
 * Slows down clients that guess passwords. After some failed logins of a user from an address, or of any users from an
 * address, each further proof from there waits for a turn of its own, whether it is right or not: otherwise a client
 * could tell a right proof by its early answer. Other addresses do not wait. Thread-safe.
 */
final class FailedLogins {
    /** Number of entries; beyond it, the entry that was used longest ago is forgotten. */
    private static final int MOST = 20_000;

    /** Failures without a wait: typing errors, and the first connections of a pool with an old password. */
    private static final int FREE_OF_USER = 5;

    private static final int FREE_OF_ADDRESS = 50;

    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final int DOUBLINGS = 4;

    /** A turn is at most this far away; must be less than the time limit of a login. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(8);

    private static final long FORGOTTEN_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** Protects {@link #entries}; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    /** In the order of the last use. */
    @GuardedBy("lock")
    private final Map<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    /** @param user null for all users together */
    private record Key(InetAddress address, @Nullable String user) {}

    /** The failures from one place, and when its next turn is; by {@link System#nanoTime}. */
    private static final class Entry {
        private int failures;
        private long last;
        private long turn;
    }

    /** Returns the address of a client. Clients of one IPv6 network (64 bits) count as one. */
    static InetAddress address(IoSession io) {
        return network(((InetSocketAddress) io.getRemoteAddress()).getAddress());
    }

    /** Returns the address that stands for a client: IPv6 networks of 64 bits count as one. */
    static InetAddress network(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == 4 || address.isLoopbackAddress()) {
            return address;
        }
        Arrays.fill(bytes, 8, bytes.length, (byte) 0);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            return address; // the length is right, so that this does not happen
        }
    }

    /**
     * Takes a turn for a proof.
     *
     * @param now by {@link System#nanoTime}
     * @return nanoseconds until the turn; 0 if the proof need not wait
     */
    long takeTurn(InetAddress address, String user, long now) {
        lock.lock();
        try {
            return Math.max(
                    takeTurn(entries.get(new Key(address, user)), FREE_OF_USER, now),
                    takeTurn(entries.get(new Key(address, null)), FREE_OF_ADDRESS, now));
        } finally {
            lock.unlock();
        }
    }

    private static long takeTurn(@Nullable Entry entry, int free, long now) {
        if (entry == null || entry.failures < free || now - entry.last > FORGOTTEN_NANOS) {
            return 0;
        }
        long pause = SHORTEST_NANOS << Math.min(DOUBLINGS, entry.failures - free);
        long turn = Math.max(entry.turn + pause, now + pause);
        entry.turn = Math.min(turn, now + LONGEST_NANOS);
        return entry.turn - now;
    }

    /** Records a failed login. */
    void failed(InetAddress address, String user, long now) {
        lock.lock();
        try {
            count(new Key(address, user), now);
            count(new Key(address, null), now);
            while (entries.size() > MOST) {
                entries.remove(entries.keySet().iterator().next());
            }
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void count(Key key, long now) {
        Entry entry = entries.computeIfAbsent(key, unused -> new Entry());
        if (now - entry.last > FORGOTTEN_NANOS) {
            entry.failures = 0;
        }
        entry.failures++;
        entry.last = now;
    }

    int size() {
        lock.lock();
        try {
            return entries.size();
        } finally {
            lock.unlock();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the rate at which clients can guess passwords, however many connections they open. Each place has an allowance
 * of failed logins, which grows slowly again: a user at an address, all users at an address, and a large IPv6 network.
 * While an allowance is used up, proofs from there are refused without a check, so that nothing can be learned from the
 * refusal, and no connection waits. Other addresses are not affected. Neither are users who have logged in from the
 * address before by failures of other users there, such as those of other clients behind the same router.
 *
 * <p>A failure counts when it is known. Checks that run at the same time may exceed an allowance; the debt is paid
 * before the next check. Thread-safe.
 */
final class FailedLogins {
    /** Number of entries; beyond it, the entry that was used longest ago is forgotten. */
    private static final int MAX_ENTRIES = 20_000;

    /** After a successful login, failures of other users do not affect the user at this address for so long. */
    private static final long TRUSTED_NANOS = TimeUnit.DAYS.toNanos(1);

    private static final int IPV6_BYTES = 16;

    /** Protects {@link #entries} and the entries; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    /** In the order of the last use. */
    @GuardedBy("lock")
    private final Map<Place, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    /** Where failures are counted. */
    private enum Kind {
        USER_AT_ADDRESS(5, TimeUnit.SECONDS.toNanos(4)),
        ADDRESS(50, TimeUnit.SECONDS.toNanos(1)),
        /** An IPv6 network of 48 bits, of which one customer can have many of 64 bits. */
        IPV6_SITE(200, TimeUnit.MILLISECONDS.toNanos(250));

        /** Failures that have no consequence: typing errors, first connections of a pool with an old password. */
        private final int most;

        /** Time after which one more failure has no consequence. */
        private final long nanos;

        Kind(int most, long nanos) {
            this.most = most;
            this.nanos = nanos;
        }
    }

    /** @param user null for all users together */
    private record Place(
            Kind kind, InetAddress address, @Nullable String user) {}

    /** An allowance of failures; times are by {@link System#nanoTime}. */
    private static final class Entry {
        private final Kind kind;
        private double left;
        private long updated;
        private boolean refuses;
        private boolean hasSucceeded;
        private long succeeded;

        Entry(Kind kind, long now) {
            this.kind = kind;
            this.left = kind.most;
            this.updated = now;
        }

        private void update(long now) {
            left = Math.min(kind.most, left + (double) (now - updated) / kind.nanos);
            updated = now;
        }

        /** Returns the nanoseconds until a proof may be checked; 0 if it may be checked now. */
        long waits(long now) {
            update(now);
            return left >= 1 ? 0 : (long) Math.ceil((1 - left) * kind.nanos);
        }

        void failed(long now) {
            update(now);
            left--;
        }

        boolean isTrusted(long now) {
            return hasSucceeded && now - succeeded < TRUSTED_NANOS;
        }
    }

    /**
     * Whether a proof may be checked.
     *
     * @param nanos time until another proof may be checked; 0 if this one may be
     * @param first for a proof that must not be checked, whether it is the first one since others were checked
     */
    record Verdict(long nanos, boolean first) {
        private static final Verdict CHECK = new Verdict(0, false);

        boolean mayBeChecked() {
            return nanos == 0;
        }

        /** Returns the message to the client. */
        String reason() {
            return "too many failed logins from your address: try again in %d s"
                    .formatted(TimeUnit.NANOSECONDS.toSeconds(nanos) + 1);
        }
    }

    /** Returns the address that stands for a client: IPv6 networks of 64 bits count as one. */
    static InetAddress network(InetAddress address) {
        return prefix(address, 8);
    }

    private static InetAddress prefix(InetAddress address, int length) {
        byte[] bytes = address.getAddress();
        if (bytes.length < IPV6_BYTES || address.isLoopbackAddress()) {
            return address;
        }
        Arrays.fill(bytes, length, bytes.length, (byte) 0);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            return address; // the length is right, so that this does not happen
        }
    }

    /**
     * Decides whether a proof may be checked. The caller must then report its result.
     *
     * @param address by {@link #network}
     * @param now by {@link System#nanoTime}
     */
    Verdict ask(InetAddress address, String user, long now) {
        lock.lock();
        try {
            Entry own = entries.get(new Place(Kind.USER_AT_ADDRESS, address, user));
            Entry[] others = own != null && own.isTrusted(now)
                    ? new Entry[0]
                    : new Entry[] {entries.get(new Place(Kind.ADDRESS, address, null)), entries.get(site(address))};
            Verdict verdict = ask(own, now);
            for (int i = 0; i < others.length && verdict.mayBeChecked(); i++) {
                verdict = ask(others[i], now);
            }
            return verdict;
        } finally {
            lock.unlock();
        }
    }

    private static Verdict ask(@Nullable Entry entry, long now) {
        long nanos = entry == null ? 0 : entry.waits(now);
        if (entry == null || nanos == 0) {
            return Verdict.CHECK;
        }
        boolean first = !entry.refuses;
        entry.refuses = true;
        return new Verdict(nanos, first);
    }

    private static Place site(InetAddress address) {
        boolean isLarge = address.getAddress().length == IPV6_BYTES;
        return isLarge ? new Place(Kind.IPV6_SITE, prefix(address, 6), null) : new Place(Kind.ADDRESS, address, null);
    }

    /** Records a failed login. */
    void failed(InetAddress address, String user, long now) {
        lock.lock();
        try {
            count(new Place(Kind.USER_AT_ADDRESS, address, user), now);
            count(new Place(Kind.ADDRESS, address, null), now);
            Place site = site(address);
            if (site.kind == Kind.IPV6_SITE) {
                count(site, now);
            }
            forgetEldest();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void count(Place place, long now) {
        Entry entry = entries.computeIfAbsent(place, unused -> new Entry(place.kind, now));
        entry.failed(now);
        entry.refuses = false;
    }

    /**
     * Records a successful login. Repays nothing: a client with the right password may log in beside one that guesses.
     */
    void succeeded(InetAddress address, String user, long now) {
        lock.lock();
        try {
            Place place = new Place(Kind.USER_AT_ADDRESS, address, user);
            Entry entry = entries.computeIfAbsent(place, unused -> new Entry(place.kind, now));
            entry.hasSucceeded = true;
            entry.succeeded = now;
            forgetEldest();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void forgetEldest() {
        while (entries.size() > MAX_ENTRIES) {
            entries.remove(entries.keySet().iterator().next());
        }
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

package io.multimed.server.node.login;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The roles as which clients have logged in with passwords that the master has checked, and these passwords: each until
 * its last client has left, and therefore at most as many as clients. Thread-safe.
 */
public final class PassedRoles {
    /** Protects the fields; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<String, Entry> present = new HashMap<>();

    /** Roles whose pools were opened with such a password, and not closed since. */
    @GuardedBy("lock")
    private final Set<String> opened = new HashSet<>();

    /** Number of passwords that clients have brought, of all roles; a moment in their order. */
    @GuardedBy("lock")
    private long moment;

    private static final class Entry {
        private String password = "";
        private long broughtAt;
        private int clients;
    }

    /** Returns the present moment in the order of passwords, to be taken before the master checks a password. */
    public long moment() {
        lock.lock();
        try {
            return moment;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds a client with a password that the master has accepted.
     *
     * @param checkedSince {@link #moment()} before the check
     * @return false, without effect, if a client of the role has brought another password since: the master may have
     *     accepted this one before the role's password was changed, so that the check must be repeated
     */
    public boolean enter(String role, String password, long checkedSince) {
        lock.lock();
        try {
            Entry entry = present.computeIfAbsent(role, unused -> new Entry());
            if (entry.clients == 0 || !entry.password.equals(password)) {
                if (entry.broughtAt > checkedSince) {
                    return false;
                }
                entry.password = password;
                entry.broughtAt = ++moment;
            }
            entry.clients++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Removes a client, and the password if it was the last client of the role. */
    public void leave(String role) {
        lock.lock();
        try {
            Entry entry = present.get(role);
            if (entry != null && --entry.clients == 0) {
                present.remove(role);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a client of the role is connected. */
    public boolean isPresent(String role) {
        lock.lock();
        try {
            return present.containsKey(role);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the password for the pools of a role, which are open from now on; null if no client is present. */
    public @Nullable String open(String role) {
        lock.lock();
        try {
            Entry entry = present.get(role);
            if (entry == null) {
                return null;
            }
            opened.add(role);
            return entry.password;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the pools of a role were opened with such a password, and its last client has left. */
    public boolean takeUnused(String role) {
        lock.lock();
        try {
            return !present.containsKey(role) && opened.remove(role);
        } finally {
            lock.unlock();
        }
    }
}

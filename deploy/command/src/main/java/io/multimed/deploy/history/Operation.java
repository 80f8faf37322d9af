package io.multimed.deploy.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One line of a history: the begin of a transaction, or its end. The lines stand in the order of real time.
 *
 * @param index by which people find it
 * @param process a client; a new one follows after an end that is not known
 * @param nanos since the recording began; {@link #NO_TIME} if that is not known
 * @param isolation what the history's read-write transactions asked for; null if the line does not say
 */
public record Operation(
        int index,
        Type type,
        int process,
        long nanos,
        @Nullable Isolation isolation,
        List<Step> steps) {
    /** For lines that may stand in any order. */
    public static final long NO_TIME = -1;

    /** Begin or kind of end, by Jepsen's names. */
    public enum Type {
        INVOKE,
        OK,
        FAIL,
        INFO
    }

    /**
     * One step of a transaction.
     *
     * @param append the value appended, or null for a read
     * @param read what a read saw, oldest first; null before it is known, and where there was nothing
     */
    public record Step(
            int key, @Nullable Integer append, @Nullable List<Integer> read) {
        static Step appends(int key, int value) {
            return new Step(key, value, null);
        }

        static Step reads(int key) {
            return new Step(key, null, null);
        }

        Step saw(Values values) {
            return new Step(key, null, values);
        }

        boolean isAppend() {
            return append != null;
        }

        /** Of a read: what was there. */
        Values seen() {
            return read == null ? Values.of() : Values.of(read);
        }
    }
}

package io.multimed.deploy.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One line of a history: the begin of a transaction, or its end.
 *
 * @param index place in real time
 * @param process a client; a new one follows after an end that is not known
 * @param nanos since the recording began
 */
public record Operation(int index, Type type, int process, long nanos, List<Step> steps) {
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
     * @param read what a read saw, oldest first; null before it is known
     */
    public record Step(
            int key, @Nullable Integer append, @Nullable List<Integer> read) {
        static Step appends(int key, int value) {
            return new Step(key, value, null);
        }

        static Step reads(int key) {
            return new Step(key, null, null);
        }

        Step saw(List<Integer> values) {
            return new Step(key, null, List.copyOf(values));
        }

        boolean isAppend() {
            return append != null;
        }
    }
}

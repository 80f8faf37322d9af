// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.postgresql;

import io.multimed.deploy.bench.ProcessTimes;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The times of each session of a server since its start, in microseconds. A session has one process, and so at most one
 * core: one that runs the updates of many clients can limit them while other cores are idle.
 *
 * @param nanos moment of the reading, as {@link System#nanoTime}
 * @param ran CPU time, by process id
 * @param waited time for which the session could have run, and waited for a core, by process id
 */
record SessionTimes(long nanos, Map<String, Long> ran, Map<String, Long> waited) {
    /**
     * The part of an interval for which a session ran, and for which the session waited for a core; in percent.
     */
    record Share(double ran, double waited) {}

    /**
     * Returns the times of the present sessions.
     *
     * @param server id of the first process of the server
     */
    static SessionTimes of(long server) {
        Map<Long, String> sessions = new LinkedHashMap<>();
        ProcessHandle.of(server).stream()
                .flatMap(ProcessHandle::descendants)
                .filter(process -> BackendTimes.isSession(process.pid()))
                .forEach(session -> sessions.put(session.pid(), Long.toString(session.pid())));
        ProcessTimes now = ProcessTimes.now();
        return new SessionTimes(System.nanoTime(), now.micros(sessions), now.waitMicros(sessions));
    }

    /** Returns the share of the session that has run longest since an earlier moment; zero if none has run. */
    Share busiestSince(SessionTimes before) {
        String busiest = "";
        long most = 0;
        for (Map.Entry<String, Long> session : ran.entrySet()) {
            long time = session.getValue() - before.ran.getOrDefault(session.getKey(), 0L);
            if (time > most) {
                busiest = session.getKey();
                most = time;
            }
        }
        long wait = waited.getOrDefault(busiest, 0L) - before.waited.getOrDefault(busiest, 0L);
        double nanosOfPercent = (nanos - before.nanos) / 100.0;
        return new Share(1e3 * most / nanosOfPercent, 1e3 * wait / nanosOfPercent);
    }
}

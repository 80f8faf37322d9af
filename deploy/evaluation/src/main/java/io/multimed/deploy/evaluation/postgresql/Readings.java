// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.postgresql;

import io.multimed.deploy.evaluation.database.MultimedDatabase;
import io.multimed.deploy.evaluation.database.PlainDatabase;
import io.multimed.deploy.evaluation.operation.ClosedLoad;
import io.multimed.deploy.evaluation.operation.MiddlewareThreads;
import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The resources that the processes of Multimed had used at a moment, beside the times of whole processes; the
 * difference between two moments divides the CPU time of an interval into parts.
 *
 * @param functions times of Multimed's functions in the master
 * @param threads user time of the middleware's threads by group, in microseconds
 * @param readers CPU time of the satellites' sessions that read, in microseconds
 * @param sessions times of the master's sessions
 */
record Readings(FunctionTimes functions, Map<String, Long> threads, long readers, SessionTimes sessions) {
    private static final String CLIENTS = "driver and clients";
    private static final String WIRE = "wire (kernel of clients and middleware)";
    private static final String MASTER = "master: engine and flush";

    /** @param updates whether functions run at all: idle sessions would report those of earlier updates */
    static Readings of(MultimedDatabase database, boolean updates) throws SQLException, IOException {
        return new Readings(
                updates ? FunctionTimes.of(database.master()) : new FunctionTimes(0, 0),
                MiddlewareThreads.micros(
                        pids(database, MultimedDatabase.MIDDLEWARE).get(0)),
                BackendTimes.readers(pids(database, MultimedDatabase.SATELLITES)),
                SessionTimes.of(pids(database, MultimedDatabase.MASTER).get(0)));
    }

    private static List<Long> pids(MultimedDatabase database, String group) {
        return database.processes().entrySet().stream()
                .filter(entry -> entry.getValue().equals(group))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns the parts of an operation on a plain engine, in microseconds. */
    static Map<String, Double> plainParts(ClosedLoad.Interval interval) {
        Map<String, Double> parts = new LinkedHashMap<>();
        double wire = kernel(interval, ClosedLoad.CLIENTS);
        parts.put(CLIENTS, cpu(interval, ClosedLoad.CLIENTS) - wire);
        parts.put(WIRE, wire);
        parts.put(MASTER, cpu(interval, PlainDatabase.ENGINE));
        parts.put(ClosedLoad.IDLE, cpu(interval, ClosedLoad.IDLE));
        return parts;
    }

    /**
     * Returns the parts of an operation on Multimed, in microseconds. The kernel's part of clients and middleware is
     * that of their sockets, and of threads that wait for each other and wake each other.
     */
    Map<String, Double> partsSince(Readings before, ClosedLoad.Interval interval) {
        Map<String, Double> parts = new LinkedHashMap<>();
        double clients = kernel(interval, ClosedLoad.CLIENTS);
        parts.put(CLIENTS, cpu(interval, ClosedLoad.CLIENTS) - clients);
        parts.put(WIRE, clients + kernel(interval, MultimedDatabase.MIDDLEWARE));
        threads.forEach((group, micros) ->
                parts.put(group, (double) (micros - before.threads.getOrDefault(group, 0L)) / interval.operations()));
        FunctionTimes spent = functions.minus(before.functions);
        double micros = 1_000 * interval.shareOnCore(MultimedDatabase.MASTER) / interval.operations();
        double capture = micros * spent.captureMillis();
        double seal = micros * spent.sealMillis();
        parts.put(MASTER, Math.max(0, cpu(interval, MultimedDatabase.MASTER) - capture - seal));
        parts.put("master: capture", capture);
        parts.put("master: seal", seal);
        double reads = (double) (readers - before.readers) / interval.operations();
        parts.put("satellites: reads", reads);
        parts.put("satellites: apply", Math.max(0, cpu(interval, MultimedDatabase.SATELLITES) - reads));
        parts.put(ClosedLoad.IDLE, cpu(interval, ClosedLoad.IDLE));
        return parts;
    }

    private static double cpu(ClosedLoad.Interval interval, String group) {
        return interval.micros().getOrDefault(group, 0.0);
    }

    private static double kernel(ClosedLoad.Interval interval, String group) {
        return interval.kernelMicros().getOrDefault(group, 0.0);
    }
}

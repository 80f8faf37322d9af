// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.multimed.deploy.evaluation.capacity.MeasuredLoad.Round;
import io.multimed.deploy.evaluation.database.PlainDatabase;
import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.tpcw.run.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The result of one kind of work on one system, in several rounds without failed interactions. Times are in
 * seconds.
 *
 * @param work name of a mix, or of a {@link Work} that is a part of the mixes
 * @param satellites number of satellites; 0 for an engine alone
 * @param clients concurrent clients, without think time
 * @param throughput interactions per second
 * @param response mean response time
 * @param updates part of the interactions that change the database, 0 to 1
 * @param cpu CPU time of an interaction, by group of processes
 * @param demand whether the CPU times are those that the model uses; otherwise the model is only checked with it
 */
record Measurement(
        String work,
        int satellites,
        int clients,
        Spread throughput,
        Spread response,
        double updates,
        Map<String, Spread> cpu,
        boolean demand) {
    private static final Spread NONE = new Spread(0, 0, 0);

    Measurement {
        if (throughput == null || response == null) {
            throw new NullPointerException("throughput and response");
        }
        cpu = Map.copyOf(cpu);
    }

    /** @param rounds at least one */
    static Measurement of(Work work, int satellites, int clients, List<Round> rounds, boolean demand) {
        Map<String, Spread> cpu = new LinkedHashMap<>();
        rounds.get(0).cpu().keySet().forEach(group -> cpu.put(group, spread(rounds, round -> round.cpu(group))));
        return new Measurement(
                work.title(),
                satellites,
                clients,
                spread(rounds, Round::throughput),
                spread(rounds, Round::response),
                spread(rounds, Round::updates).median(),
                cpu,
                demand);
    }

    private static Spread spread(List<Round> rounds, ToDoubleFunction<Round> value) {
        return Spread.of(
                rounds.stream().map(round -> value.applyAsDouble(round)).toList());
    }

    /** Returns the CPU time of a group; 0 if the group does not exist on this system. */
    Spread cpu(String group) {
        return cpu.getOrDefault(group, NONE);
    }

    @JsonIgnore
    boolean isPlain() {
        return satellites == 0;
    }

    /** Returns whether a measurement is one of the same work, system and clients. */
    boolean replaces(Measurement other) {
        return work.equals(other.work)
                && satellites == other.satellites
                && clients == other.clients
                && demand == other.demand;
    }

    /** Returns the CPU time of the engine alone. */
    Spread engine() {
        return cpu(PlainDatabase.ENGINE);
    }

    /** Returns the values for the figure {@code demands}. */
    List<Value> values() {
        List<Value> values = new ArrayList<>();
        if (demand) {
            cpu.keySet().stream()
                    .sorted()
                    .forEach(group -> values.add(new Value(
                            DemandsFigure.CPU,
                            group,
                            "%s %d".formatted(work, satellites),
                            scaled(cpu(group), 1e3),
                            0)));
        }
        values.add(new Value(
                DemandsFigure.THROUGHPUT,
                "%s, %s".formatted(work, MeasuredPoint.title(satellites)),
                Integer.toString(clients),
                throughput,
                0));
        return values;
    }

    static Spread scaled(Spread spread, double factor) {
        return new Spread(factor * spread.min(), factor * spread.median(), factor * spread.max());
    }
}

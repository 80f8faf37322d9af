package io.multimed.deploy.evaluation.capacity;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.multimed.deploy.evaluation.database.PlainDatabase;
import java.util.Map;

/**
 * What was measured of one kind of work on one system. Times are in seconds.
 *
 * @param work name of a mix, or of a {@link Work} that is a part of the mixes
 * @param satellites number of satellites; 0 for an engine alone
 * @param clients concurrent clients, without think time
 * @param throughput interactions per second
 * @param response mean response time
 * @param updates part of the interactions that change the database, 0 to 1
 * @param cpu CPU time of an interaction, by group of processes
 * @param errors number of interactions that failed
 * @param demand whether the CPU times are those that the model uses; otherwise the model is only checked with it
 */
record Measurement(
        String work,
        int satellites,
        int clients,
        double throughput,
        double response,
        double updates,
        Map<String, Double> cpu,
        long errors,
        boolean demand) {
    Measurement {
        cpu = Map.copyOf(cpu);
    }

    /** Returns the CPU time of a group; 0 if the group does not exist on this system. */
    double cpu(String group) {
        return cpu.getOrDefault(group, 0.0);
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
    double engine() {
        return cpu(PlainDatabase.ENGINE);
    }
}

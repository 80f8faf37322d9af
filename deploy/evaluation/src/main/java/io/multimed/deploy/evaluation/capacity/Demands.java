package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.evaluation.database.MultimedDatabase;
import io.multimed.tpcw.browser.Mix;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Mean service times of an interaction of a mix, in seconds of one core.
 *
 * @param client of a client of Multimed
 * @param middleware of the middleware, without what depends on the number of satellites
 * @param sending of the middleware, for each satellite: sending the updates to it
 * @param master of the master: updates with capture and seal, and reads that run there
 * @param reads of all satellites together: a read runs on one of them
 * @param apply of each satellite: applying the updates
 * @param flush waiting for the disk of the master
 * @param plainClient of a client of an engine alone
 * @param engine of an engine alone
 */
record Demands(
        double client,
        double middleware,
        double sending,
        double master,
        double reads,
        double apply,
        double flush,
        double plainClient,
        double engine) {
    /** Name of the group of the clients' processes. */
    static final String CLIENT = "client";

    /**
     * Derives the demands from measurements with one and with two satellites. What an update costs for each further
     * satellite is the difference of the two; it is taken from work that consists of updates, because it is too small a
     * part of the browsing mix.
     *
     * @throws IllegalArgumentException if a measurement is missing; the message says which
     */
    static Demands of(MeasuredDemands file, Mix mix) {
        String work = Work.title(mix);
        Measurement plain = file.demand(work, 0).orElseThrow(() -> missing(work, "an engine alone"));
        List<Measurement> multimed = file.multimed(work);
        if (multimed.isEmpty()) {
            throw missing(work, "Multimed");
        }
        double updates = mean(multimed, Measurement::updates);
        double apply = updates * perSatellite(file, work, MultimedDatabase.SATELLITES);
        double sending = updates * perSatellite(file, work, MultimedDatabase.MIDDLEWARE);
        return new Demands(
                mean(multimed, each -> each.cpu(CLIENT)),
                mean(multimed, each -> without(sending, each, MultimedDatabase.MIDDLEWARE)),
                sending,
                mean(multimed, each -> each.cpu(MultimedDatabase.MASTER)),
                mean(multimed, each -> without(apply, each, MultimedDatabase.SATELLITES)),
                apply,
                updates * file.flush(),
                plain.cpu(CLIENT),
                plain.engine());
    }

    private static IllegalArgumentException missing(String work, String system) {
        return new IllegalArgumentException(
                "the service times of the mix %s on %s are not measured; measure them with multimed figures --only demands, without --quick"
                        .formatted(work, system));
    }

    private static double mean(List<Measurement> some, ToDoubleFunction<Measurement> value) {
        return some.stream().mapToDouble(value).average().orElse(0);
    }

    private static double without(double each, Measurement measured, String group) {
        return Math.max(0, measured.cpu(group) - measured.satellites() * each);
    }

    /** Returns the time of an update that each further satellite adds to a group; not negative. */
    private static double perSatellite(MeasuredDemands file, String mix, String group) {
        for (String work : List.of(Work.Part.UPDATES.title(), mix)) {
            Optional<Measurement> one = file.demand(work, 1);
            Optional<Measurement> two = file.demand(work, 2);
            if (one.isPresent() && two.isPresent()) {
                double updates = (one.get().updates() + two.get().updates()) / 2;
                return updates == 0
                        ? 0
                        : Math.max(0, (two.get().cpu(group) - one.get().cpu(group)) / updates);
            }
        }
        throw missing(mix, "Multimed with one and with two satellites");
    }

    /** Returns all service times multiplied by a factor. */
    Demands times(double factor) {
        return new Demands(
                client * factor,
                middleware * factor,
                sending * factor,
                master * factor,
                reads * factor,
                apply * factor,
                flush * factor,
                plainClient * factor,
                engine * factor);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.evaluation.database.MultimedDatabase;
import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.run.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

    /** Returns the demands that follow from the medians of the rounds. */
    static Demands of(MeasuredDemands file, Mix mix) {
        return of(file, mix, Spread::median);
    }

    /**
     * Derives the demands from measurements with one and with two satellites. What an update costs for each further
     * satellite is the difference of the two, for work that consists of updates. A difference below zero is noise, and
     * counts as zero: {@link #doubts} says where. What all satellites together add is at most what was measured.
     *
     * @param pick selects one of the values of the rounds
     * @throws IllegalArgumentException if a measurement is missing; the message says which
     */
    static Demands of(MeasuredDemands file, Mix mix, ToDoubleFunction<Spread> pick) {
        String work = Work.title(mix);
        Measurement plain = file.demand(work, 0).orElseThrow(() -> missing(work, "an engine alone"));
        List<Measurement> multimed = file.multimed(work);
        if (multimed.isEmpty()) {
            throw missing(work, "Multimed");
        }
        double updates = mean(multimed, Measurement::updates);
        double apply = updates * perSatellite(file, work, MultimedDatabase.SATELLITES, pick);
        double sending = updates * perSatellite(file, work, MultimedDatabase.MIDDLEWARE, pick);
        return new Demands(
                mean(multimed, each -> pick.applyAsDouble(each.cpu(CLIENT))),
                mean(multimed, each -> without(sending, each, MultimedDatabase.MIDDLEWARE, pick)),
                sending,
                mean(multimed, each -> pick.applyAsDouble(each.cpu(MultimedDatabase.MASTER))),
                mean(multimed, each -> without(apply, each, MultimedDatabase.SATELLITES, pick)),
                apply,
                updates * file.flush(),
                pick.applyAsDouble(plain.cpu(CLIENT)),
                pick.applyAsDouble(plain.engine()));
    }

    private static IllegalArgumentException missing(String work, String system) {
        return new IllegalArgumentException(
                "the service times of the mix %s on %s are not measured; measure them with multimed figures --only demands, without --quick"
                        .formatted(work, system));
    }

    private static double mean(List<Measurement> some, ToDoubleFunction<Measurement> value) {
        return some.stream().mapToDouble(value).average().orElse(0);
    }

    private static double without(double each, Measurement measured, String group, ToDoubleFunction<Spread> pick) {
        return Math.max(0, pick.applyAsDouble(measured.cpu(group)) - measured.satellites() * each);
    }

    private static double perSatellite(MeasuredDemands file, String mix, String group, ToDoubleFunction<Spread> pick) {
        Spread added = file.satellite().get(group);
        if (added == null) {
            throw missing(mix, "Multimed with one and with two satellites in turns");
        }
        return Math.max(0, pick.applyAsDouble(added));
    }

    /** Says which times of a further satellite cannot be told from zero. */
    static List<String> doubts(MeasuredDemands file) {
        List<String> doubts = new ArrayList<>();
        for (String group : List.of(MultimedDatabase.MIDDLEWARE, MultimedDatabase.SATELLITES)) {
            Spread added = file.satellite().get(group);
            if (added != null && added.min() <= 0) {
                doubts.add(doubt(group, added));
            }
        }
        return doubts;
    }

    private static String doubt(String group, Spread added) {
        return String.format(
                Locale.ROOT,
                "what each satellite adds to the CPU time of %s for an update was %.0f to %.0f µs, which cannot be told from zero; negative values count as 0",
                group,
                1e6 * added.min(),
                1e6 * added.max());
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

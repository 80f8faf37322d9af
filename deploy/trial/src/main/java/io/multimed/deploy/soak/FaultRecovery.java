// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.soak;

import io.multimed.deploy.fault.Fault;
import java.util.Locale;

/**
 * An injected fault and the recovery of the system.
 *
 * @param atSeconds time of the fault since the start of the soak
 * @param satellite the affected satellite; without meaning for faults of other parts
 * @param healedMillis time from the fault until the broken part ran again
 * @param serviceMillis time from the fault until an update and a read of a new client succeeded; -1 if they did not in
 * time
 * @param wholeMillis time from the fault until every satellite served; -1 if not in time
 */
public record FaultRecovery(
        long atSeconds, Fault fault, String satellite, long healedMillis, long serviceMillis, long wholeMillis) {
    /** Returns whether the system recovered completely in time. */
    public boolean isOver() {
        return serviceMillis >= 0 && wholeMillis >= 0;
    }

    private String name() {
        String name = fault.name().toLowerCase(Locale.ROOT).replace('_', '-');
        return name.contains("satellite") || fault == Fault.FULL_DISK ? name + " (" + satellite + ")" : name;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%5d s  %-34s service after %s, healed after %.1f s, all satellites after %s",
                atSeconds,
                name(),
                time(serviceMillis),
                healedMillis / 1e3,
                time(wholeMillis));
    }

    private static String time(long millis) {
        return millis < 0 ? "NEVER" : String.format(Locale.ROOT, "%.2f s", millis / 1e3);
    }
}

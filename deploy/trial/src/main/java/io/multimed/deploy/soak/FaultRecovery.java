package io.multimed.deploy.soak;

import io.multimed.deploy.fault.Fault;
import java.util.Locale;

/**
 * A fault that was made to happen, and how the system got over it.
 *
 * @param atSeconds since the beginning
 * @param satellite the one that was hit; not meant by all faults
 * @param healedMillis when what was broken ran again, as whoever looks after the processes would have it; from the fault on
 * @param serviceMillis until a new client's update and read went through, from the fault on; -1 if they did not in time
 * @param wholeMillis until every satellite served, from the fault on; -1 if not in time
 */
public record FaultRecovery(
        long atSeconds, Fault fault, String satellite, long healedMillis, long serviceMillis, long wholeMillis) {
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

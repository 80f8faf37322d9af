package io.multimed.deploy.terminal;

import java.io.PrintWriter;
import java.util.Locale;

/** A line that shows how something goes on: redrawn in place on a terminal, otherwise a new line every few seconds. Used by one thread. */
public final class Progress {
    private static final int BAR = 24;
    private static final long LINE_NANOS = 5_000_000_000L;
    private static final String CLEAR = "\r\u001b[K";

    private final PrintWriter out;

    /** Told by the script that starts us: a Java program cannot ask whether its output is a terminal. */
    private final boolean live;

    private long lastLine = System.nanoTime() - LINE_NANOS;

    public Progress(PrintWriter out) {
        this.out = out;
        this.live = Boolean.getBoolean("multimed.terminal");
    }

    /** Shows {@code what}, a bar of {@code fraction}, and the figures. */
    public void show(String what, double fraction, String figures) {
        int full = (int) Math.round(fraction * BAR);
        String line = String.format(
                Locale.ROOT,
                "%-26s [%s%s] %3d%%  %s",
                what,
                "#".repeat(full),
                ".".repeat(BAR - full),
                Math.round(fraction * 100),
                figures);
        line(line, fraction >= 1);
    }

    /** Shows how {@code what} stands, where nobody knows how much is left. */
    public void step(String what, String figures) {
        line(String.format(Locale.ROOT, "%-26s %s", what, figures), false);
    }

    private void line(String line, boolean last) {
        if (live) {
            out.print(CLEAR + line);
            out.flush();
        } else if (last || System.nanoTime() - lastLine >= LINE_NANOS) {
            lastLine = System.nanoTime();
            out.println(line);
            out.flush();
        }
    }

    /** A line that stays. */
    public void say(String line) {
        out.println((live ? CLEAR : "") + line);
        out.flush();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.terminal;

import java.io.PrintWriter;
import java.util.Locale;

/**
 * Displays the progress of an operation: in one line on a terminal, otherwise in a new line every few seconds. Used by
 * one thread.
 */
public final class Progress {
    /** Width of a bar in characters. */
    private static final int BAR = 24;

    /** Minimum time between two lines if the output is no terminal. */
    private static final long LINE_NANOS = 5_000_000_000L;

    /** Returns to the beginning of the terminal's line and erases the line. */
    private static final String CLEAR = "\r\u001b[K";

    private final PrintWriter out;

    /** True if the output is a terminal. The start script determines this, because a Java program cannot. */
    private final boolean live;

    private long lastLine = System.nanoTime() - LINE_NANOS;

    /** @param out receives the lines; stays open */
    public Progress(PrintWriter out) {
        this.out = out;
        this.live = Boolean.getBoolean("multimed.terminal");
    }

    /**
     * Displays a bar.
     *
     * @param what the operation
     * @param fraction finished part, 0 to 1
     * @param figures further text
     */
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

    /** Displays an operation whose remaining part is unknown. */
    public void step(String what, String figures) {
        line(String.format(Locale.ROOT, "%-26s %s", what, figures), false);
    }

    /**
     * Replaces the line on a terminal. Otherwise prints the line, unless another one was printed recently.
     *
     * @param last whether the line must be printed in any case
     */
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

    /** Prints a line that later progress does not overwrite. */
    public void say(String line) {
        out.println((live ? CLEAR : "") + line);
        out.flush();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.pooler;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of a program. */
public record Version(int major, int minor, String text) {
    private static final Pattern NUMBERS = Pattern.compile("(\\d+)\\.(\\d+)[\\w.]*");

    /**
     * Finds the first version in the output of a program.
     *
     * @throws IllegalArgumentException if the output contains no version
     */
    public static Version of(String output) {
        Matcher found = NUMBERS.matcher(output);
        if (!found.find()) {
            throw new IllegalArgumentException("the output contains no version: " + output.strip());
        }
        return new Version(Integer.parseInt(found.group(1)), Integer.parseInt(found.group(2)), found.group());
    }

    public boolean isAtLeast(int wantedMajor, int wantedMinor) {
        return major > wantedMajor || (major == wantedMajor && minor >= wantedMinor);
    }

    @Override
    public String toString() {
        return text;
    }
}

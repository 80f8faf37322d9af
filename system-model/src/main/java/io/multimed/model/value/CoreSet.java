// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.value;

import java.util.BitSet;
import java.util.stream.Collectors;

/** The cores of a node, written for example as {@code 0-3,8}. The empty set stands for all cores of the machine. */
public record CoreSet(BitSet cores) {
    /** All cores of the machine. */
    public static final CoreSet ALL = new CoreSet(new BitSet());

    // Bounds the memory of a set that a mistyped number describes.
    private static final int HIGHEST = 4095;

    public CoreSet {
        cores = (BitSet) cores.clone();
    }

    @Override
    public BitSet cores() {
        return (BitSet) cores.clone();
    }

    /**
     * Reads the written form.
     *
     * @throws IllegalArgumentException if the text is not a set of cores; the message gives the reason
     */
    public static CoreSet parse(String text) {
        BitSet cores = new BitSet();
        for (String part : text.strip().split(",", -1)) {
            String[] ends = part.strip().split("-", 2);
            int first = core(ends[0]);
            int last = core(ends[ends.length - 1]);
            if (last < first) {
                throw new IllegalArgumentException("\"%s\" runs backwards".formatted(part));
            }
            cores.set(first, last + 1);
        }
        return new CoreSet(cores);
    }

    private static int core(String text) {
        if (!text.strip().matches("[0-9]{1,4}") || Integer.parseInt(text.strip()) > HIGHEST) {
            throw new IllegalArgumentException("\"%s\" is not a core's number".formatted(text));
        }
        return Integer.parseInt(text.strip());
    }

    /** Returns whether the set stands for all cores. */
    public boolean isAll() {
        return cores.isEmpty();
    }

    /** Returns whether both sets name a core. {@link #ALL} names none, and so never overlaps. */
    public boolean overlaps(CoreSet other) {
        return cores.intersects(other.cores);
    }

    /**
     * Returns the cores of this set that a machine with cores 0 to {@code available} - 1 has; {@link #ALL} if it has
     * none of them.
     */
    public CoreSet onMachine(int available) {
        BitSet there = cores();
        if (there.length() > available) {
            there.clear(available, there.length());
        }
        return new CoreSet(there);
    }

    /**
     * Returns the cores that both sets name; {@link #ALL} if there are none.
     *
     * @param machine the usable cores of a machine; not {@link #ALL}
     */
    public CoreSet among(CoreSet machine) {
        BitSet there = cores();
        there.and(machine.cores);
        return new CoreSet(there);
    }

    /** Returns the form that taskset accepts, single numbers separated by commas, or {@code all}. */
    @Override
    public String toString() {
        return isAll() ? "all" : cores.stream().mapToObj(Integer::toString).collect(Collectors.joining(","));
    }
}

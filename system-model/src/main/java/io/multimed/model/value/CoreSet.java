package io.multimed.model.value;

import java.util.BitSet;
import java.util.stream.Collectors;

/** The cores of a node, written as {@code 0-3,8}. Empty means all cores of the machine. */
public record CoreSet(BitSet cores) {
    public static final CoreSet ALL = new CoreSet(new BitSet());

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
     * @throws IllegalArgumentException if it is not of that form; the message says why
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

    public boolean isAll() {
        return cores.isEmpty();
    }

    public boolean overlaps(CoreSet other) {
        return cores.intersects(other.cores);
    }

    /** The cores that the machine has; all of its cores if that leaves none. */
    public CoreSet onMachine(int available) {
        BitSet there = cores();
        if (there.length() > available) {
            there.clear(available, there.length());
        }
        return new CoreSet(there);
    }

    /** As taskset takes it: single numbers, comma-separated. */
    @Override
    public String toString() {
        return isAll() ? "all" : cores.stream().mapToObj(Integer::toString).collect(Collectors.joining(","));
    }
}

package io.multimed.engine.writeset;

/** Server commit number: the place of a WriteSet in the total order. Counts from 1; 0 is before all commits. */
public record Scn(long value) implements Comparable<Scn> {
    public static final Scn ZERO = new Scn(0);

    public Scn next() {
        return new Scn(value + 1);
    }

    public boolean isAfter(Scn other) {
        return value > other.value;
    }

    @Override
    public int compareTo(Scn other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return "SCN " + value;
    }
}

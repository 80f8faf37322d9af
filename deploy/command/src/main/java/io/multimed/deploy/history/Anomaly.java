package io.multimed.deploy.history;

/**
 * Something that a history's isolation rules out.
 *
 * @param name in the literature
 * @param sentence what was seen: the transactions, by the indexes of their first lines, and why one comes before the next
 */
public record Anomaly(String name, String sentence) {
    @Override
    public String toString() {
        return name + ": " + sentence;
    }
}

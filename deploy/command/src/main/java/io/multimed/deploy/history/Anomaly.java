package io.multimed.deploy.history;

/**
 * Something that strong snapshot isolation rules out.
 *
 * @param name in the literature
 * @param sentence what was seen, with the operations' indexes
 */
public record Anomaly(String name, String sentence) {
    @Override
    public String toString() {
        return name + ": " + sentence;
    }
}

package io.multimed.model.yaml;

/**
 * Something wrong in a System Model.
 *
 * @param file as it was named by the person
 * @param line from 1
 * @param key path of the key, such as {@code nodes[1].cores}; empty for the whole file
 * @param wrong what is wrong
 * @param right what would be right
 */
public record Problem(String file, int line, String key, String wrong, String right) {
    @Override
    public String toString() {
        return "%s:%d: %s%s%s"
                .formatted(file, line, key.isEmpty() ? "" : key + ": ", wrong, right.isEmpty() ? "" : "; " + right);
    }
}

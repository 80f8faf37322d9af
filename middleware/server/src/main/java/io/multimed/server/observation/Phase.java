// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.observation;

/** What a statement does or waits for. */
public enum Phase {
    /** The statement is parsed, or waits for a thread that parses. */
    CLASSIFY("classify"),
    /** A read waits for a satellite that is fresh enough. */
    FRESHNESS("wait for freshness"),
    /** The statement waits for its routing class, for an equal read that runs already, or for a connection. */
    QUEUE("queue"),
    /** The engine runs the statement. For a statement that runs inside a commit group, this includes its commit. */
    ENGINE("engine"),
    /** The transaction waits for its commit group, and commits on the engine. */
    COMMIT_GROUP("commit group"),
    /** The answer waits until everything is durable and published that it shows. */
    PUBLISH("publish");

    private final String label;

    Phase(String label) {
        this.label = label;
    }

    /** Returns the name for users. */
    public String label() {
        return label;
    }
}

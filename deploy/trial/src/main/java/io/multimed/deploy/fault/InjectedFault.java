// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

/** A fault that remains in effect until {@link #heal}. */
@FunctionalInterface
public interface InjectedFault extends AutoCloseable {
    /**
     * Ends the fault: starts dead processes again, and resumes stopped ones. Returns when the processes respond; the
     * system may still be recovering. Does nothing after the first call.
     */
    void heal();

    @Override
    default void close() {
        heal();
    }
}

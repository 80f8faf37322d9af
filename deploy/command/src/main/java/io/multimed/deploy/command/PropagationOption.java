// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import io.multimed.model.Propagation;
import picocli.CommandLine.Option;

/** Option that names the propagation of a cluster that a command starts. */
public final class PropagationOption {
    @Option(
            names = "--propagation",
            description =
                    "The way of changes to the satellites. triggers: Multimed captures and applies rows. log: the satellites are standbys of the engine. Default: ${DEFAULT-VALUE}",
            defaultValue = "triggers")
    private Propagation propagation;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    PropagationOption() {}

    /**
     * Returns the propagation.
     *
     * @throws IllegalArgumentException if it is not possible with the engine
     */
    public Propagation with(String engine) {
        if (!propagation.isPossibleWith(engine)) {
            throw new IllegalArgumentException(
                    "--propagation log: Multimed makes no standbys of %s: use the default engine".formatted(engine));
        }
        return propagation;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import io.multimed.deploy.launcher.LocalEngines;
import java.util.Iterator;
import picocli.CommandLine.Option;

/** Option that names the engine of a command that starts engines. */
public final class EngineOption {
    @Option(
            names = "--engine",
            description = "The engine: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}",
            completionCandidates = Engines.class,
            defaultValue = "postgresql")
    private String name;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    EngineOption() {}

    /** Returns the name of an engine that can be started on this machine. */
    public String name() {
        return checked(name);
    }

    /**
     * Returns the name if the engine can be started on this machine.
     *
     * @throws IllegalArgumentException otherwise, with a remedy
     */
    public static String checked(String name) {
        if (!LocalEngines.known().contains(name)) {
            throw new IllegalArgumentException(
                    "unknown engine %s; the engines are: %s".formatted(name, String.join(", ", LocalEngines.known())));
        }
        LocalEngines.missing(name).ifPresent(why -> {
            throw new IllegalArgumentException(why);
        });
        return name;
    }

    /** Lists the known engines in the help of the command and in completions. */
    static final class Engines implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return LocalEngines.known().iterator();
        }
    }
}

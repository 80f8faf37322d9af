package io.multimed.deploy.command;

import io.multimed.deploy.launcher.LocalEngines;
import java.util.Iterator;
import picocli.CommandLine.Option;

/** Which engine, where a command starts some by itself. */
public final class EngineOption {
    @Option(
            names = "--engine",
            description = "The engine: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}",
            completionCandidates = Engines.class,
            defaultValue = "postgresql")
    private String name;

    @SuppressWarnings("NullAway.Init") // picocli fills the fields
    EngineOption() {}

    /** An engine that can be started here. */
    public String name() {
        return checked(name);
    }

    /** The same name; IllegalArgumentException says what to do if no such engine can be started here. */
    static String checked(String name) {
        if (!LocalEngines.known().contains(name)) {
            throw new IllegalArgumentException(
                    "no engine is called %s; there are: %s".formatted(name, String.join(", ", LocalEngines.known())));
        }
        LocalEngines.missing(name).ifPresent(why -> {
            throw new IllegalArgumentException(why);
        });
        return name;
    }

    /** For the help. */
    static final class Engines implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return LocalEngines.known().iterator();
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.AnnotationBasedArgumentsProvider;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * Runs a parameterised test once for each engine, with the engine's name as argument: by default, if the test does not
 * ask for more, for the first engine only that can be started on this machine, PostgreSQL before the others. The system
 * property {@code multimed.test.engines} names other engines, separated by commas. Engines that cannot be started, or
 * that the property does not name, are reported as skipped.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(EachEngine.Provider.class)
@Inherited
public @interface EachEngine {
    /** Restricts the test to these engines; empty for all. */
    String[] value() default {};

    /** Runs the test by default for each engine that is embedded, because its subject differs between engines. */
    boolean byDefault() default false;

    /** Provides the names of the engines. */
    final class Provider extends AnnotationBasedArgumentsProvider<EachEngine> {
        @Override
        protected Stream<? extends Arguments> provideArguments(
                ParameterDeclarations parameters, ExtensionContext test, EachEngine each) {
            List<String> named = List.of(each.value());
            List<String> here = LocalEngines.known().stream()
                    .filter(engine -> named.isEmpty() || named.contains(engine))
                    .sorted(Comparator.comparing(engine -> !engine.equals("postgresql")))
                    .filter(engine -> isHere(engine, test))
                    .toList();
            Assumptions.assumeFalse(here.isEmpty(), "no engine to test with: see SKIPPED");
            boolean first = wanted().isEmpty() && !each.byDefault();
            return here.stream().limit(first ? 1 : here.size()).map(Arguments::of);
        }

        private static String wanted() {
            return System.getProperty("multimed.test.engines", "");
        }

        private static boolean isHere(String engine, ExtensionContext test) {
            return why(engine)
                    .map(why -> {
                        System.err.printf("SKIPPED for %s: %s: %s%n", engine, test.getDisplayName(), why);
                        return false;
                    })
                    .orElse(true);
        }

        private static Optional<String> why(String engine) {
            String wanted = wanted();
            return wanted.isEmpty() || List.of(wanted.split(",", -1)).contains(engine)
                    ? LocalEngines.missing(engine)
                    : Optional.of("multimed.test.engines is " + wanted);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
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
 * Runs a parameterised test once for each engine that can be started on this machine, with the engine's name as
 * argument. Engines that cannot be started, or are missing from the system property {@code multimed.test.engines}
 * (names separated by commas), are reported as skipped.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(EachEngine.Provider.class)
@Inherited
public @interface EachEngine {
    /** Restricts the test to these engines; empty for all. */
    String[] value() default {};

    /** Provides the names of the engines. */
    final class Provider extends AnnotationBasedArgumentsProvider<EachEngine> {
        @Override
        protected Stream<? extends Arguments> provideArguments(
                ParameterDeclarations parameters, ExtensionContext test, EachEngine each) {
            List<String> named = List.of(each.value());
            List<String> here = LocalEngines.known().stream()
                    .filter(engine -> named.isEmpty() || named.contains(engine))
                    .filter(engine -> isHere(engine, test))
                    .toList();
            Assumptions.assumeFalse(here.isEmpty(), "no engine to test with: see SKIPPED");
            return here.stream().map(Arguments::of);
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
            String wanted = System.getProperty("multimed.test.engines", "");
            return wanted.isEmpty() || List.of(wanted.split(",", -1)).contains(engine)
                    ? LocalEngines.missing(engine)
                    : Optional.of("multimed.test.engines is " + wanted);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
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
 * property {@code multimed.test.engines} names other engines, separated by commas. The test fails if the property names
 * an engine that is unknown, or that cannot be started. An engine whose name has a question mark ({@code mysql?}) is
 * then reported as skipped instead.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(EachEngine.Provider.class)
@Inherited
public @interface EachEngine {
    /** Restricts the test to these engines; empty for all. */
    String[] value() default {};

    /** Runs the test by default for each engine that can be started, because its subject differs between engines. */
    boolean byDefault() default false;

    /** Provides the names of the engines. */
    final class Provider extends AnnotationBasedArgumentsProvider<EachEngine> {
        @Override
        protected Stream<? extends Arguments> provideArguments(
                ParameterDeclarations parameters, ExtensionContext test, EachEngine each) {
            String property = System.getProperty("multimed.test.engines", "");
            List<String> named = List.of(each.value());
            List<String> concerned = LocalEngines.known().stream()
                    .filter(engine -> named.isEmpty() || named.contains(engine))
                    .toList();
            List<String> chosen = EngineSelection.parse(property, LocalEngines.known(), LocalEngines::missing)
                    .choose(
                            concerned,
                            each.byDefault(),
                            (engine, why) ->
                                    System.err.printf("SKIPPED for %s: %s: %s%n", engine, test.getDisplayName(), why));
            Assumptions.assumeFalse(
                    chosen.isEmpty(),
                    () -> "no engine of %s to test with: see SKIPPED; multimed.test.engines is \"%s\""
                            .formatted(concerned, property));
            return chosen.stream().map(Arguments::of);
        }
    }
}

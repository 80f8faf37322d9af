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
 * Gives a parameterised test the name of each engine that can be started here. One that cannot is said to be skipped; so are those that are not in the system property
 * {@code multimed.test.engines} (names with commas between), where that is set.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(EachEngine.Provider.class)
@Inherited
public @interface EachEngine {
    /** Of these engines only; all, if none is named. */
    String[] value() default {};

    /** The engines. */
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

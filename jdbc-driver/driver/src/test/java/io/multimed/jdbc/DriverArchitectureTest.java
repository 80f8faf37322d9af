package io.multimed.jdbc;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Set;

/** The packages of the driver, and the dependencies between them. */
@AnalyzeClasses(packages = "io.multimed.jdbc", importOptions = ImportOption.DoNotIncludeTests.class)
class DriverArchitectureTest {
    private static final String API = "io.multimed.jdbc";

    /** The part of the API that the internal packages implement; the rest of the API uses the internal packages. */
    private static final Set<String> IMPLEMENTED = Set.of("MultimedConnection", "MultimedError", "EngineError");

    private static final DescribedPredicate<JavaClass> ENTRY_POINTS =
            DescribedPredicate.describe("are entry points of the API", DriverArchitectureTest::isEntryPoint);

    private static boolean isEntryPoint(JavaClass type) {
        return type.getPackageName().equals(API) && !IMPLEMENTED.contains(type.getSimpleName());
    }

    /** The API counts as two packages: types that the driver implements, and entry points, which start the driver. */
    @ArchTest
    static final ArchRule shouldHaveNoCyclesBetweenPackages = slices().assignedFrom(new SliceAssignment() {
                @Override
                public SliceIdentifier getIdentifierOf(JavaClass type) {
                    return isEntryPoint(type)
                            ? SliceIdentifier.of("entry points")
                            : SliceIdentifier.of(type.getPackageName());
                }

                @Override
                public String getDescription() {
                    return "packages, and the entry points of the API";
                }
            })
            .should()
            .beFreeOfCycles()
            .because(
                    "a cycle makes two packages one: declare an interface in the lower package for the part that it needs");

    @ArchTest
    static final ArchRule shouldUseEntryPointsInTheApiOnly = noClasses()
            .that()
            .resideOutsideOfPackage(API)
            .should()
            .dependOnClassesThat(ENTRY_POINTS)
            .because("the driver's internals do not start a driver");

    @ArchTest
    static final ArchRule shouldKnowEngineFamiliesByTheirInterfaceOnly = classes()
            .that()
            .resideInAnyPackage("io.multimed.jdbc.engine.postgresql", "io.multimed.jdbc.engine.mysql")
            .should()
            .onlyBeAccessed()
            .byClassesThat(DescribedPredicate.describe(
                    "are of the same family, or the list of families",
                    type -> type.getPackageName().startsWith("io.multimed.jdbc.engine.")
                            || type.getFullName().equals("io.multimed.jdbc.connection.Engines")))
            .because(
                    "a difference between engines is a method of EngineFamily, DriverBehavior, ResultConversions or CurrentNamespace");
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Map;
import java.util.Set;

/** The packages of the driver, and the dependencies between them. */
@AnalyzeClasses(packages = "io.multimed.jdbc", importOptions = ImportOption.DoNotIncludeTests.class)
class DriverArchitectureTest {
    private static final String API = "io.multimed.jdbc";

    /** The part of the API that the internal packages implement; the rest of the API uses the internal packages. */
    private static final Set<String> IMPLEMENTED = Set.of("MultimedConnection", "MultimedError", "EngineError");

    private static final String CONNECTION = "the guard of the connection";
    private static final String STATEMENT = "the guard of the statement";
    private static final String RESULT_SET = "the guard of the statement, or of a result set without a statement";

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

    /** Who protects the fields that are neither final nor volatile: the owners of classes with such fields. */
    private static final Map<String, String> OWNERS = Map.ofEntries(
            Map.entry("connection.JdbcConnection", CONNECTION),
            Map.entry("connection.MultimedPooledConnection", "its guard"),
            Map.entry("result.JdbcResultSet", RESULT_SET + "; wasNull has no owner"),
            Map.entry("result.RowCursor", RESULT_SET),
            Map.entry("result.RowSource", RESULT_SET),
            Map.entry("session.AbortedTransaction", CONNECTION),
            Map.entry("session.Autosave", CONNECTION),
            Map.entry("session.GreetedSocket", "its monitor"),
            Map.entry("session.GreetedSocket$Ungreeted", CONNECTION),
            Map.entry("session.SocketTransport", CONNECTION),
            Map.entry("session.ParameterUpload", "the thread that has created the object"),
            Map.entry("session.RunningRequest", "its monitor"),
            Map.entry("session.SessionChannel", CONNECTION),
            Map.entry("session.StatementSlots$Slot", CONNECTION),
            Map.entry("statement.CallableStatementHandler", STATEMENT),
            Map.entry("statement.JdbcPreparedStatement", STATEMENT),
            Map.entry("statement.JdbcStatement", STATEMENT),
            Map.entry("statement.StatementResults", STATEMENT),
            Map.entry("value.StreamParameters$Utf8Stream", "the thread that sends the stream"));

    @ArchTest
    static final ArchRule shouldStateWhoProtectsMutableFields = fields().that()
            .areNotFinal()
            .and()
            .areNotStatic()
            .should(new ArchCondition<>("be volatile, or have an owner in the list of this test") {
                @Override
                public void check(JavaField field, ConditionEvents events) {
                    boolean isOwned = field.getModifiers().contains(JavaModifier.VOLATILE)
                            || OWNERS.containsKey(field.getOwner().getName().substring(API.length() + 1));
                    events.add(new SimpleConditionEvent(field, isOwned, field.getFullName()));
                }
            })
            .because("threads share connections: see Guard");

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

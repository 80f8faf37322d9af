package io.multimed.middleware;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The rooms and the arrows between them. */
@AnalyzeClasses(packages = "io.multimed", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule readsLikeThePaper = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("communication")
            .definedBy("..middleware.communication..")
            .layer("dispatcher")
            .definedBy("..middleware.dispatcher..")
            .layer("propagation")
            .definedBy("..middleware.propagation..")
            .layer("node")
            .definedBy("..middleware.node..")
            .layer("extraction")
            .definedBy("..middleware.extraction..")
            .layer("writeset")
            .definedBy("..middleware.writeset..")
            .whereLayer("communication")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("dispatcher")
            .mayOnlyBeAccessedByLayers("communication")
            .whereLayer("propagation")
            .mayOnlyBeAccessedByLayers("dispatcher")
            .whereLayer("node")
            .mayOnlyBeAccessedByLayers("communication", "dispatcher", "propagation")
            .whereLayer("extraction")
            .mayOnlyBeAccessedByLayers("dispatcher", "propagation", "node")
            .because(
                    "arrows point one way: communication, dispatcher, propagation, node, extraction, writeset; move the code, or pass an interface down");

    @ArchTest
    static final ArchRule noCycles = slices().matching("io.multimed.middleware.(*)..")
            .should()
            .beFreeOfCycles()
            .because("a cycle means that two rooms are one: move the shared part down");

    @ArchTest
    static final ArchRule minaStaysInCommunication = noClasses()
            .that()
            .resideOutsideOfPackage("..communication..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.mina..")
            .because("only the acceptor knows how bytes travel");

    @ArchTest
    static final ArchRule enginesAreBehindTheirSeam = noClasses()
            .that()
            .resideOutsideOfPackage("..node.engine..")
            .and()
            .resideInAPackage("io.multimed.middleware..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.postgresql..", "com.mysql..", "..engine.postgresql..", "..engine.mysql..")
            .because("an engine's name appears only in its own folder: put the difference behind node.engine.Engine");

    @ArchTest
    static final ArchRule writeSetsAreValues = classes()
            .that()
            .resideInAPackage("..writeset..")
            .should()
            .beRecords()
            .orShould()
            .beInterfaces()
            .because("a WriteSet is shared by all appliers: it must not change");

    @ArchTest
    static final ArchRule writeSetsKnowNoJdbc = noClasses()
            .that()
            .resideInAPackage("..writeset..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("java.sql..")
            .because("values do not talk to engines");

    @ArchTest
    static final ArchRule theDriverStandsAlone = classes()
            .that()
            .resideInAnyPackage("io.multimed.jdbc..", "io.multimed.protocol..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "javax.crypto..",
                    "javax.sql..",
                    "javax.xml..",
                    "org.w3c.dom..",
                    "org.xml.sax..",
                    "io.multimed.jdbc..",
                    "io.multimed.protocol..",
                    "org.jspecify..")
            .because("an application gets the driver and nothing else");
}

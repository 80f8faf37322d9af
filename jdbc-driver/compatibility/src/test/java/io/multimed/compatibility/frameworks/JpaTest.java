// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.zaxxer.hikari.HikariDataSource;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.launcher.TestPropagation;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.orm.ObjectOptimisticLockingFailureException;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** Tests Hibernate ORM with Spring Data JPA and @Transactional, without a configured dialect. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine(byDefault = true)
@Tag("standbys")
@Tag("embedded")
class JpaTest {
    private static Shop shop;
    private static AnnotationConfigApplicationContext context;
    private static Books books;
    private static BookShop service;

    @Configuration
    @EnableTransactionManagement(proxyTargetClass = true)
    @EnableJpaRepositories(considerNestedRepositories = true)
    static class Application {
        @Bean(destroyMethod = "close")
        HikariDataSource dataSource() {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(shop.safeUrl());
            pool.setUsername("tester");
            pool.setMaximumPoolSize(3);
            return pool;
        }

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource source) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(source);
            factory.setPackagesToScan("io.multimed.compatibility.frameworks");
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "update", "hibernate.jdbc.batch_size", "20"));
            return factory;
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }

        @Bean
        BookShop bookShop(Books books, EntityManager manager) {
            return new BookShop(books, manager);
        }
    }

    private final Idiom idiom;

    JpaTest(String engine) {
        idiom = Idiom.of(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        shop = Shop.of(engine);
        context = new AnnotationConfigApplicationContext(Application.class);
        books = context.getBean(Books.class);
        service = context.getBean(BookShop.class);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        if (context != null) {
            context.close();
        }
    }

    @Test
    void shouldWriteOnTheMasterAndReadInReadOnlyTransactionsOnSatellites() throws Exception {
        Book book = new Book("routed", new BigDecimal("9.99"), new Author("Router"));
        book.binding = Book.Binding.CLOTH;
        book.published = LocalDate.of(2024, 2, 29);
        book.added = Instant.now().truncatedTo(ChronoUnit.MICROS);
        book.code = UUID.randomUUID();
        book.available = true;
        book.cover = new byte[] {1, 0, -1};
        BookShop.Answer<Long> added = service.add(book);
        assertThat(added.node()).isEqualTo("master");
        assertThat(shop.onMaster("SELECT id FROM book WHERE title = 'routed'")).isEqualTo(added.value());

        BookShop.Answer<Book> found = service.find("routed");
        assertThat(found.node()).startsWith("satellite");
        assertThat(found.value())
                .usingRecursiveComparison()
                .ignoringFields("author", "version")
                .isEqualTo(book);
        BookShop.Answer<List<String>> titles = service.titlesOf("Router");
        assertThat(titles.node()).startsWith("satellite");
        assertThat(titles.value()).containsExactly("routed");
    }

    @Test
    void shouldReadThenWriteInOneTransactionOnTheMasterAndBeSeenAtOnce() {
        service.add(new Book("mixed", new BigDecimal("50.00"), null));
        for (int i = 1; i <= 20; i++) {
            BookShop.Answer<BigDecimal> discounted = service.discount("mixed");
            assertThat(discounted.node()).isEqualTo("master");
            BookShop.Answer<Book> seen = service.find("mixed");
            assertThat(seen.node()).startsWith("satellite");
            assertThat(seen.value().price).isEqualByComparingTo(BigDecimal.valueOf(50 - i));
            assertThat(seen.value().version).isEqualTo(i);
        }
        assertThat(service.raise("mixed")).isEqualTo(1);
        assertThat(service.find("mixed").value().price).isEqualByComparingTo("31");
    }

    @Test
    void shouldReadOnSatellitesInTransactionsThatAreNotDeclaredReadOnly() throws Exception {
        assumeFalse(TestPropagation.isByLog(), "reads-before-write is not supported with propagation: log");
        service.add(new Book("browsed", new BigDecimal("20.00"), null));
        service.add(new Book("cheaper", new BigDecimal("19.00"), null));
        await("the middleware knows the tables, which have just been created")
                .until(() -> service.browse("browsed").node().startsWith("satellite"));
        long satellites = reads("satellite");
        long master = reads("master");
        for (int i = 1; i <= 60; i++) {
            assertThat(service.browse("browsed").value()).contains("cheaper");
            if (i % 4 == 0) {
                assertThat(service.discount("cheaper").value()).isEqualByComparingTo(BigDecimal.valueOf(19 - i / 4));
            }
        }
        satellites = reads("satellite") - satellites;
        master = reads("master") - master;
        double share = (double) satellites / (satellites + master);
        assertThat(share)
                .as("share of the reads on satellites; %d on the master", master)
                .isGreaterThan(0.6);
    }

    /** Returns the number of reads on the nodes of a role. */
    private static long reads(String role) throws SQLException {
        long reads = 0;
        try (Connection connection = context.getBean(DataSource.class).getConnection();
                Statement statement = connection.createStatement();
                ResultSet nodes = statement.executeQuery("SHOW MULTIMED")) {
            while (nodes.next()) {
                reads += nodes.getString("role").equals(role) ? nodes.getLong("reads") : 0;
            }
        }
        return reads;
    }

    @Test
    void shouldWriteInBatches() {
        List<Book> many = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            many.add(new Book("batch " + i, new BigDecimal("0.01"), new Author("author " + i)));
        }
        books.saveAll(many);
        assertThat(many).extracting(book -> book.id).doesNotContainNull().doesNotHaveDuplicates();
        assertThat(books.findByPriceLessThanOrderByTitle(new BigDecimal("0.02")))
                .hasSize(50);
        assertThat(books.count()).isGreaterThanOrEqualTo(50);
    }

    @Test
    void shouldRollBackAndTranslateErrorsAsForTheEngine() {
        assertThatThrownBy(() -> service.addAndFail(new Book("undone", BigDecimal.ONE, null)))
                .hasMessage("changed our mind");
        assertThat(books.findByTitle("undone")).isEmpty();
        service.add(new Book("unique", BigDecimal.ONE, null));
        assertThatThrownBy(() -> service.add(new Book("unique", BigDecimal.ONE, null)))
                .isInstanceOf(DataIntegrityViolationException.class)
                .hasMessageContaining(idiom.duplicate());
        assertThatThrownBy(() -> service.add(new Book(null, BigDecimal.ONE, null)))
                .isInstanceOf(DataIntegrityViolationException.class);
    }

    @Test
    void shouldDetectAConcurrentChangeByItsVersion() {
        service.add(new Book("versioned", BigDecimal.TEN, null));
        Book stale = service.find("versioned").value();
        service.discount("versioned");
        stale.price = BigDecimal.ZERO;
        assertThatThrownBy(() -> books.saveAndFlush(stale)).isInstanceOf(ObjectOptimisticLockingFailureException.class);
    }

    @Test
    void shouldRefuseAWriteInAReadOnlyTransactionAsTheEngineDoes() {
        service.add(new Book("read-only", BigDecimal.TEN, null));
        assertThatThrownBy(() -> service.writeAlthoughReadOnly("read-only")).hasStackTraceContaining(idiom.readOnly());
        assertThat(service.find("read-only").value().price).isEqualByComparingTo("10");
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.frameworks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import io.multimed.deploy.launcher.EachEngine;
import io.multimed.jdbc.MultimedDriver;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Tests an application that Spring Boot configures from the properties which FRAMEWORKS.md names, and nothing else. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("embedded")
class SpringBootTest {
    private static Shop shop;
    private static ConfigurableApplicationContext application;

    SpringBootTest(String engine) {
        assertThat(engine).isEqualTo(shop.idiom().engine());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Stock stock(JdbcTemplate jdbc) {
            return new Stock(jdbc);
        }
    }

    /** Not final, because Spring makes a subclass which begins and ends the transactions. */
    static class Stock {
        private final JdbcTemplate jdbc;

        Stock(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional(readOnly = true)
        public int read() {
            return jdbc.queryForObject("SELECT stock FROM item WHERE id = 1", Integer.class);
        }

        @Transactional
        public void sell(boolean fail) {
            jdbc.update("UPDATE item SET stock = stock + 1 WHERE id = 1");
            if (fail) {
                throw new IllegalStateException("sold out");
            }
        }
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        shop = Shop.withItem(engine);
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .registerShutdownHook(false)
                .logStartupInfo(false)
                .run(
                        "--spring.datasource.url=" + shop.url(),
                        "--spring.datasource.driver-class-name=" + MultimedDriver.class.getName(),
                        "--spring.datasource.username=tester",
                        "--spring.datasource.hikari.maximum-pool-size=2",
                        "--spring.main.banner-mode=off");
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        application.close();
    }

    @Test
    void shouldConfigureAPoolOfMultimedConnections() {
        DataSource pool = application.getBean(DataSource.class);
        assertThat(pool)
                .isInstanceOfSatisfying(
                        HikariDataSource.class,
                        hikari -> assertThat(hikari.getJdbcUrl()).isEqualTo(shop.url()));
    }

    @Test
    void shouldRunReadOnlyTransactionsOnSatellitesAndUpdatesOnTheMaster() throws Exception {
        Stock stock = application.getBean(Stock.class);
        int before = stock.read();
        long reads = shop.readsOfSatellites();
        stock.sell(false);
        assertThat(stock.read()).isEqualTo(before + 1);
        assertThat(shop.readsOfSatellites()).isGreaterThan(reads);
        assertThat(shop.onMaster("SELECT stock FROM item WHERE id = 1")).isEqualTo(before + 1);
    }

    @Test
    void shouldRollBackTransactionsThatThrow() {
        Stock stock = application.getBean(Stock.class);
        int before = stock.read();
        assertThat(catchThrowable(() -> stock.sell(true))).hasMessage("sold out");
        assertThat(stock.read()).isEqualTo(before);
    }
}

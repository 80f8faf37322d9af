// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.frameworks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.quartz.JobBuilder.newJob;
import static org.quartz.SimpleScheduleBuilder.simpleSchedule;
import static org.quartz.TriggerBuilder.newTrigger;

import io.multimed.deploy.launcher.EachEngine;
import java.io.InputStream;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.quartz.DisallowConcurrentExecution;
import org.quartz.Job;
import org.quartz.JobExecutionContext;
import org.quartz.JobKey;
import org.quartz.PersistJobDataAfterExecution;
import org.quartz.Scheduler;
import org.quartz.impl.StdSchedulerFactory;

/** Tests Quartz's clustered JDBC store, with the tables and the delegate of the engine. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("standbys")
@Tag("embedded")
class QuartzTest {
    private static final AtomicInteger RUNS = new AtomicInteger();

    private static Shop shop;

    /** Counts its executions, in this process and in the job data in the database. */
    @PersistJobDataAfterExecution
    @DisallowConcurrentExecution
    public static final class Counting implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            var data = context.getJobDetail().getJobDataMap();
            data.put("runs", data.getInt("runs") + 1);
            RUNS.incrementAndGet();
        }
    }

    private final Idiom idiom;

    QuartzTest(String engine) {
        idiom = Idiom.of(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        shop = Shop.of(engine);
        try (InputStream tables = Job.class.getResourceAsStream(
                "/org/quartz/impl/jdbcjobstore/" + shop.idiom().quartzTables())) {
            String script = new String(tables.readAllBytes(), UTF_8).replaceAll("(?m)^(COMMIT|--.*)\\s*;?$", "");
            for (String statement : script.split(";", -1)) {
                if (!statement.isBlank()) {
                    shop.run(statement.strip());
                }
            }
        }
    }

    private Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("org.quartz.scheduler.instanceName", "test-" + idiom.engine());
        properties.setProperty("org.quartz.scheduler.instanceId", "AUTO");
        properties.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
        properties.setProperty("org.quartz.scheduler.idleWaitTime", "1000");
        properties.setProperty("org.quartz.threadPool.threadCount", "2");
        properties.setProperty("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
        properties.setProperty(
                "org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore." + idiom.quartzDelegate());
        properties.setProperty("org.quartz.jobStore.isClustered", "true");
        properties.setProperty("org.quartz.jobStore.dataSource", "shop");
        properties.setProperty("org.quartz.dataSource.shop.provider", "hikaricp");
        properties.setProperty("org.quartz.dataSource.shop.driver", "io.multimed.jdbc.MultimedDriver");
        properties.setProperty("org.quartz.dataSource.shop.URL", shop.url());
        properties.setProperty("org.quartz.dataSource.shop.user", "tester");
        properties.setProperty("org.quartz.dataSource.shop.maxConnections", "4");
        return properties;
    }

    @Test
    void shouldKeepJobsInTheDatabaseAndRunThemEachOnce() throws Exception {
        RUNS.set(0);
        Scheduler scheduler = new StdSchedulerFactory(properties()).getScheduler();
        try {
            scheduler.scheduleJob(
                    newJob(Counting.class)
                            .withIdentity("counting")
                            .usingJobData("runs", 0)
                            .storeDurably()
                            .build(),
                    newTrigger()
                            .withSchedule(simpleSchedule()
                                    .withIntervalInMilliseconds(50)
                                    .withRepeatCount(4))
                            .build());
            assertThat(shop.onMaster("SELECT count(*) FROM QRTZ_JOB_DETAILS")).isEqualTo(1);
            scheduler.start();
            await("the trigger has fired for the last time: see QRTZ_TRIGGERS on the master")
                    .atMost(Duration.ofSeconds(90))
                    .untilAsserted(() -> assertThat(shop.onMaster("SELECT count(*) FROM QRTZ_TRIGGERS"))
                            .isZero());
            assertThat(RUNS).hasValue(5);
            assertThat(scheduler
                            .getJobDetail(JobKey.jobKey("counting"))
                            .getJobDataMap()
                            .getInt("runs"))
                    .isEqualTo(5);
        } finally {
            scheduler.shutdown(true);
        }
    }
}

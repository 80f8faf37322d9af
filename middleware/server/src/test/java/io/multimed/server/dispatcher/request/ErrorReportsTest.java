// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.request;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.session.SessionStatus;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The report to the client and the log entry for a failure. */
class ErrorReportsTest {
    private static final SessionStatus STATUS = new SessionStatus(false, false, SessionStatus.NO_NODE, 0);

    private final Logger logger = (Logger) LoggerFactory.getLogger(ErrorReports.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(log);
    }

    @Test
    void shouldLogADefectWithItsStackTrace() {
        ErrorReport report = ErrorReports.report(new IllegalStateException("a defect"), "master", STATUS);
        assertThat(report.sqlState()).isEqualTo("XX000");
        assertThat(report.message()).contains("a defect");
        assertThat(log.list).singleElement().satisfies(event -> {
            assertThat(event.getLevel()).isEqualTo(Level.ERROR);
            assertThat(event.getThrowableProxy().getMessage()).isEqualTo("a defect");
            assertThat(event.getThrowableProxy()
                            .getStackTraceElementProxyArray()[0]
                            .toString())
                    .contains("shouldLogADefectWithItsStackTrace");
        });
    }

    @Test
    void shouldNotLogErrorsOfTheEngine() {
        ErrorReports.report(new SQLException("duplicate key", "23505"), "master", STATUS);
        assertThat(log.list).isEmpty();
    }
}

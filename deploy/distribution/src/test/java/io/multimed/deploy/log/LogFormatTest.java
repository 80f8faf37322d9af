// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The log contains one event per line in both formats, whatever clients have sent. */
class LogFormatTest {
    private static final String FORGED = "ann\"\r\n12:00:00.000 ERROR Publisher: forged\u001b[2J\u0085\u2028\u202e\t";

    /** Returns what the log's own configuration writes. */
    private static List<String> logged(LogFormat format, String message, Object... arguments) throws Exception {
        LoggerContext context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        context.putProperty("MULTIMED_LOG_FORMAT", format.name());
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        PrintStream usual = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        try {
            configurator.doConfigure(LogFormat.class.getResource("/logback.xml"));
            Logger logger = context.getLogger("io.multimed.server.communication.ClientSession");
            logger.atWarn().addKeyValue("user", FORGED).log(message, arguments);
        } finally {
            System.setErr(usual);
            context.stop();
        }
        return written.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @ParameterizedTest
    @EnumSource
    void noTextOfAClientForgesAnEvent(LogFormat format) throws Exception {
        List<String> lines = logged(format, "password authentication failed for user \"{}\"", FORGED);
        assertThat(lines).hasSize(1);
        assertThat(lines.get(0).chars().filter(Character::isISOControl)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void noExceptionForgesAnEvent(LogFormat format) throws Exception {
        SQLException failure = new SQLException("duplicate\n" + FORGED, "23505", new IllegalStateException(FORGED));
        List<String> lines = logged(format, "session {}: a request failed", 7, failure);
        assertThat(lines).hasSize(1);
        assertThat(lines.get(0)).contains("session 7: a request failed", "java.sql.SQLException", "duplicate");
    }

    @Test
    void textIsReadable() throws Exception {
        assertThat(logged(LogFormat.TEXT, "the user {} has left C:\\x", "a\nb").get(0))
                .matches("\\d\\d:\\d\\d:\\d\\d\\.\\d{3} WARN  ClientSession: the user a\\\\nb has left C:\\\\x");
    }

    @Test
    void jsonContainsTheMessageItsValuesAndTheStackTrace() throws Exception {
        String line = logged(LogFormat.JSON, "failed for {}", FORGED, new SQLException("why"))
                .get(0);
        JsonNode event = new ObjectMapper().readTree(line);
        assertThat(event.get("level").asText()).isEqualTo("WARN");
        assertThat(event.get("loggerName").asText()).isEqualTo("io.multimed.server.communication.ClientSession");
        assertThat(event.get("formattedMessage").asText()).isEqualTo("failed for " + FORGED);
        assertThat(event.get("timestamp").asLong()).isPositive();
        assertThat(event.get("kvpList").toString()).contains("user");
        assertThat(event.get("throwable").toString()).contains("java.sql.SQLException", "why", "LogFormatTest");
    }

    @Test
    void knowsTwoFormats() {
        assertThat(LogFormat.of("JSON")).contains(LogFormat.JSON);
        assertThat(LogFormat.of("text")).contains(LogFormat.TEXT);
        assertThat(LogFormat.of("xml")).isEmpty();
    }
}

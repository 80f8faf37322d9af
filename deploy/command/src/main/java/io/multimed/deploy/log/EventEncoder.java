// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.encoder.EncoderBase;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/**
 * Writes each event of the log as exactly one line, as text or as JSON. Texts of clients, such as names of users, are
 * part of messages: line breaks and other control characters in them are escaped, so that no client can forge an event
 * or control a terminal.
 */
public final class EventEncoder extends EncoderBase<ILoggingEvent> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneId.systemDefault());

    private static final byte[] NONE = {};

    private final JsonEncoder json = new JsonEncoder();
    private LogFormat format = LogFormat.TEXT;

    /** Sets the format by its name. Called by the reader of the configuration. */
    public void setFormat(String name) {
        LogFormat.of(name)
                .ifPresentOrElse(
                        known -> format = known,
                        () -> addError("%s: \"%s\" is neither text nor json".formatted(LogFormat.VARIABLE, name)));
    }

    @Override
    public void start() {
        json.setContext(getContext());
        json.setWithSequenceNumber(false);
        json.setWithNanoseconds(false);
        json.setWithContext(false);
        json.setWithMessage(false);
        json.setWithArguments(false);
        json.setWithFormattedMessage(true);
        json.start();
        super.start();
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        String line = format == LogFormat.JSON ? json(event) : text(event);
        return line.concat(System.lineSeparator()).getBytes(UTF_8);
    }

    /** Also escapes characters that JSON permits in texts, although some readers of lines end a line there. */
    private String json(ILoggingEvent event) {
        return OneLine.escape(new String(json.encode(event), UTF_8).stripTrailing());
    }

    private static String text(ILoggingEvent event) {
        String logger = event.getLoggerName();
        IThrowableProxy thrown = event.getThrowableProxy();
        String cause = thrown == null ? "" : " (%s: %s)".formatted(thrown.getClassName(), thrown.getMessage());
        return "%s %-5s %s: %s"
                .formatted(
                        TIME.format(event.getInstant()),
                        event.getLevel(),
                        logger.substring(logger.lastIndexOf('.') + 1),
                        OneLine.escape(event.getFormattedMessage() + cause));
    }

    @Override
    public byte[] headerBytes() {
        return NONE;
    }

    @Override
    public byte[] footerBytes() {
        return NONE;
    }
}

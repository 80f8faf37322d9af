// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.audit;

import java.time.Instant;

/**
 * One event. Contains no secret: no password, and of a statement no literal.
 *
 * @param kind what has happened, for example login
 * @param outcome for example accepted or refused
 * @param user empty if no client has caused the event
 * @param address of the client, with its port; empty as above
 * @param tls the client's version of TLS; empty without TLS
 * @param detail the statement, the changed users, or the reason; may be empty
 */
public record AuditEvent(
        Instant time, String kind, String outcome, String user, String address, String tls, String detail) {
    /** Creates an event of now that no client has caused. */
    static AuditEvent ofServer(String kind, String outcome, String detail) {
        return new AuditEvent(Instant.now(), kind, outcome, "", "", "", detail);
    }

    /** Returns the event as a JSON object in one line, without empty members. */
    String toJson() {
        StringBuilder json = new StringBuilder(200).append('{');
        append(json, "time", time.toString());
        append(json, "event", kind);
        append(json, "outcome", outcome);
        append(json, "user", user);
        append(json, "address", address);
        append(json, "tls", tls);
        append(json, "detail", detail);
        return json.append('}').toString();
    }

    private static void append(StringBuilder json, String name, String value) {
        if (!value.isEmpty()) {
            json.append(json.length() > 1 ? "," : "").append('"').append(name).append("\":\"");
            value.chars().forEach(c -> appendEscaped(json, (char) c));
            json.append('"');
        }
    }

    /** Escapes everything but printable characters of ASCII, and letters and digits of other alphabets. */
    private static void appendEscaped(StringBuilder json, char c) {
        if (c == '"' || c == '\\') {
            json.append('\\').append(c);
        } else if ((c >= ' ' && c < 0x7f) || (c > 0x7f && Character.isLetterOrDigit(c))) {
            json.append(c);
        } else {
            json.append("\\u%04x".formatted((int) c));
        }
    }
}

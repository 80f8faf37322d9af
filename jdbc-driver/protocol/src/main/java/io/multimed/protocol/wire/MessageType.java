// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.wire;

import org.jspecify.annotations.Nullable;

/** The closed set of messages and their codes. A code that was in use once is never used for another message. */
public enum MessageType {
    HELLO(1),
    PROOF(2),
    EXECUTE(3),
    EXECUTE_BATCH(4),
    EXECUTE_SCRIPT(5),
    FETCH(6),
    CLOSE_CURSOR(7),
    COMMIT(8),
    ROLLBACK(9),
    SAVEPOINT(10),
    CATALOG_CALL(11),
    PING(12),
    CANCEL(13),
    GOODBYE(14),
    QUERY_OUTCOME(15),
    DESCRIBE(16),
    UPLOAD(17),
    DOWNLOAD(18),
    TRACED(19),
    CLEAR_PASSWORD(20),

    CHALLENGE(65),
    WELCOME(66),
    EXECUTED(67),
    BATCH_EXECUTED(68),
    ROWS(69),
    DONE(70),
    CATALOG_ANSWER(71),
    ERROR_REPORT(72),
    OUTCOME_ANSWER(73),
    DESCRIBED(74),
    PIECE(75);

    private static final @Nullable MessageType[] BY_CODE = byCode();

    private final int code;

    MessageType(int code) {
        this.code = code;
    }

    /** Returns the code of the message, 1 to 127. */
    public int code() {
        return code;
    }

    /** Returns whether a client sends the message. */
    public boolean isRequest() {
        return code < CHALLENGE.code;
    }

    /**
     * Returns the type with a code.
     *
     * @param code the code of the message, as received
     * @throws ProtocolException if the code is unknown
     */
    public static MessageType of(int code) {
        MessageType type = code > 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        if (type == null) {
            throw new ProtocolException("unknown message type " + code);
        }
        return type;
    }

    /**
     * Checks that a code belongs to a request and, before the client has logged in, to a message of the login.
     *
     * @throws ProtocolException otherwise
     */
    public static void checkRequest(int code, boolean known) {
        if (code < HELLO.code || code >= CHALLENGE.code || BY_CODE[code] == null) {
            throw new ProtocolException("unknown request type " + code);
        }
        if (!known && !isOfLogin(code)) {
            throw new ProtocolException("%s before the welcome".formatted(BY_CODE[code]));
        }
    }

    private static boolean isOfLogin(int code) {
        return code == HELLO.code
                || code == PROOF.code
                || code == CLEAR_PASSWORD.code
                || code == CANCEL.code
                || code == GOODBYE.code;
    }

    private static @Nullable MessageType[] byCode() {
        @Nullable MessageType[] table = new MessageType[128];
        for (MessageType type : values()) {
            table[type.code] = type;
        }
        return table;
    }
}

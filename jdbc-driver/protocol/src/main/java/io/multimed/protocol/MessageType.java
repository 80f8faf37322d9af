package io.multimed.protocol;

import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The closed set of messages and their codes. A code that was in use once is never used for another message. */
public enum MessageType {
    HELLO(1, Hello::read),
    PROOF(2, Proof::read),
    EXECUTE(3, Execute::read),
    EXECUTE_BATCH(4, ExecuteBatch::read),
    EXECUTE_SCRIPT(5, ExecuteScript::read),
    FETCH(6, Fetch::read),
    CLOSE_CURSOR(7, CloseCursor::read),
    COMMIT(8, Commit::read),
    ROLLBACK(9, Rollback::read),
    SAVEPOINT(10, SavepointRequest::read),
    CATALOG_CALL(11, CatalogCall::read),
    PING(12, in -> new Ping()),
    CANCEL(13, Cancel::read),
    GOODBYE(14, in -> new Goodbye()),
    QUERY_OUTCOME(15, QueryOutcome::read),
    DESCRIBE(16, Describe::read),
    UPLOAD(17, Upload::read),
    DOWNLOAD(18, Download::read),

    CHALLENGE(65, Challenge::read),
    WELCOME(66, Welcome::read),
    EXECUTED(67, Executed::read),
    BATCH_EXECUTED(68, BatchExecuted::read),
    ROWS(69, Rows::read),
    DONE(70, Done::read),
    CATALOG_ANSWER(71, CatalogAnswer::read),
    ERROR_REPORT(72, ErrorReport::read),
    OUTCOME_ANSWER(73, OutcomeAnswer::read),
    DESCRIBED(74, Described::read),
    PIECE(75, Piece::read);

    private static final @Nullable MessageType[] BY_CODE = byCode();

    private final int code;

    @SuppressWarnings("ImmutableEnumChecker") // a method reference without state
    private final Function<WireReader, Message> reader;

    MessageType(int code, Function<WireReader, Message> reader) {
        this.code = code;
        this.reader = reader;
    }

    /** Returns the code of the message, 1 to 127. */
    public int code() {
        return code;
    }

    /**
     * Decodes a payload.
     *
     * @param code the code of the message, as received
     * @throws ProtocolException if the code is unknown or the payload is malformed
     */
    static Message read(int code, WireReader in) {
        MessageType type = code > 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        if (type == null) {
            throw new ProtocolException("unknown message type " + code);
        }
        Message message = type.reader.apply(in);
        in.expectEnd(type);
        return message;
    }

    /**
     * Checks that a code belongs to a request and, before the client has logged in, to a message of the login.
     *
     * @throws ProtocolException otherwise
     */
    static void checkRequest(int code, boolean known) {
        if (code < HELLO.code || code >= CHALLENGE.code || BY_CODE[code] == null) {
            throw new ProtocolException("unknown request type " + code);
        }
        if (!known && code != HELLO.code && code != PROOF.code && code != CANCEL.code && code != GOODBYE.code) {
            throw new ProtocolException("%s before the welcome".formatted(BY_CODE[code]));
        }
    }

    private static @Nullable MessageType[] byCode() {
        @Nullable MessageType[] table = new MessageType[128];
        for (MessageType type : values()) {
            table[type.code] = type;
        }
        return table;
    }
}

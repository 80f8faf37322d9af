// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.Response;
import io.multimed.protocol.wire.Message;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;

/**
 * A message from a client. A session processes its requests one at a time, in order, and replies to each with exactly
 * one {@link Response}; {@link Goodbye} has no reply. A {@link Cancel} is processed at once.
 */
public sealed interface Request extends Message
        permits Hello,
                Proof,
                ClearPassword,
                Execute,
                ExecuteBatch,
                ExecuteScript,
                Fetch,
                CloseCursor,
                Commit,
                Rollback,
                SavepointRequest,
                CatalogCall,
                Ping,
                Cancel,
                Goodbye,
                QueryOutcome,
                Describe,
                Upload,
                Download,
                Traced {
    /**
     * Calls the handler's method for this request. A new kind of request therefore does not compile until every handler
     * supports it.
     */
    void dispatch(RequestHandler handler);

    /**
     * Decodes a payload.
     *
     * @throws ProtocolException if the type is that of another kind of message, or the payload is malformed
     */
    static Request read(MessageType type, WireReader in) {
        Request request = switch (type) {
            case HELLO -> Hello.read(in);
            case PROOF -> Proof.read(in);
            case CLEAR_PASSWORD -> ClearPassword.read(in);
            case EXECUTE -> Execute.read(in);
            case EXECUTE_BATCH -> ExecuteBatch.read(in);
            case EXECUTE_SCRIPT -> ExecuteScript.read(in);
            case FETCH -> Fetch.read(in);
            case CLOSE_CURSOR -> CloseCursor.read(in);
            case COMMIT -> Commit.read(in);
            case ROLLBACK -> Rollback.read(in);
            case SAVEPOINT -> SavepointRequest.read(in);
            case CATALOG_CALL -> CatalogCall.read(in);
            case PING -> new Ping();
            case CANCEL -> Cancel.read(in);
            case GOODBYE -> new Goodbye();
            case QUERY_OUTCOME -> QueryOutcome.read(in);
            case DESCRIBE -> Describe.read(in);
            case UPLOAD -> Upload.read(in);
            case DOWNLOAD -> Download.read(in);
            case TRACED -> Traced.read(in);
            default -> throw new ProtocolException("%s is not a request".formatted(type));
        };
        in.expectEnd(type);
        return request;
    }
}

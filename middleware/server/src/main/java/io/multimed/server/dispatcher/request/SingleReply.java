package io.multimed.server.dispatcher.request;

import io.multimed.protocol.Response;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Sends the first response only. A second one, after a failure that follows the first, would be taken for the answer to
 * the client's next request.
 */
public final class SingleReply implements Reply {
    /** Null when the request is answered. */
    private final AtomicReference<@Nullable Reply> receiver;

    public SingleReply(Reply receiver) {
        this.receiver = new AtomicReference<>(receiver);
    }

    @Override
    public void send(Response response) {
        Reply reply = receiver.getAndSet(null);
        if (reply != null) {
            reply.send(response);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.foreign;

import io.multimed.engine.wire.FirstAnswer;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.apache.mina.core.session.IoSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the first bytes of one connection until it is certain whose protocol they are. Clients of other protocols
 * receive a refusal that they understand. Keeps at most {@link #MAX_BYTES} bytes. Used by one thread at a time.
 */
public final class FirstBytes {
    private static final Logger LOG = LoggerFactory.getLogger(FirstBytes.class);

    /** A client that has sent this many bytes, and has not been recognized, is left to the reader of frames. */
    private static final int MAX_BYTES = 8 << 10;

    private final IoSession io;
    private final Consumer<byte[]> sender;
    private ByteBuffer kept = ByteBuffer.allocate(0);
    private boolean passed;
    private boolean isForeign;
    private boolean isRefused;

    /** @param sender sends bytes to the client */
    public FirstBytes(IoSession io, Consumer<byte[]> sender) {
        this.io = io;
        this.sender = sender;
    }

    /** Returns whether the connection is known to be one of frames: further bytes need not be checked. */
    public boolean havePassed() {
        return passed;
    }

    /** Returns all bytes that have arrived, when it is known that frames arrive; until then null. */
    public @Nullable ByteBuffer check(ByteBuffer bytes) {
        if (isRefused || (kept.remaining() == 0 && !bytes.hasRemaining())) {
            return null;
        }
        ByteBuffer all = join(kept, bytes);
        kept = ByteBuffer.allocate(0);
        FirstAnswer answer = ForeignProtocols.answer(all);
        FirstAnswer.Kind kind = answer.kind();
        if (kind == FirstAnswer.Kind.MORE && all.remaining() <= MAX_BYTES) {
            kept = all;
        } else if (kind == FirstAnswer.Kind.REPLY) {
            isForeign = true;
            sender.accept(answer.bytes());
        } else if (kind == FirstAnswer.Kind.REFUSAL || isForeign) {
            refuse(answer.bytes());
        } else {
            passed = true;
            return all;
        }
        return null;
    }

    private void refuse(byte[] answer) {
        isRefused = true;
        if (answer.length > 0) {
            sender.accept(answer);
        }
        io.closeOnFlush();
        LOG.info("{}: refused a client of another protocol", io.getRemoteAddress());
    }

    private static ByteBuffer join(ByteBuffer first, ByteBuffer second) {
        return ByteBuffer.allocate(first.remaining() + second.remaining())
                .put(first)
                .put(second)
                .flip();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.protocol.wire.Protocol;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A socket whose input skips the greeting for clients of other protocols, which the middleware sends if this side was
 * slow to speak: see {@link Protocol#greetingLength}.
 */
final class GreetedSocket extends Socket {
    /** Created once: it knows whether the first bytes have been read. */
    private @Nullable InputStream in;

    @Override
    public synchronized InputStream getInputStream() throws IOException {
        InputStream known = in;
        if (known == null) {
            known = new Ungreeted(super.getInputStream());
            in = known;
        }
        return known;
    }

    /** The bytes behind the greeting, if there is one. Used by one thread at a time. */
    private static final class Ungreeted extends FilterInputStream {
        /** The first bytes of the connection that are not part of a greeting, and have not been returned. */
        private ByteBuffer first = ByteBuffer.allocate(0);

        private boolean begun;

        Ungreeted(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            begin();
            return first.hasRemaining() ? first.get() & 0xff : in.read();
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            begin();
            if (!first.hasRemaining()) {
                return in.read(into, from, length);
            }
            int now = Math.min(length, first.remaining());
            first.get(into, from, now);
            return now;
        }

        @Override
        public int available() throws IOException {
            return first.remaining() + in.available();
        }

        /**
         * Reads the first five bytes, and skips the greeting that they begin. The greeting of a server that speaks
         * another protocol has another fifth byte, and remains an error. A failure ends the connection.
         */
        private void begin() throws IOException {
            if (begun) {
                return;
            }
            begun = true;
            byte[] head = in.readNBytes(Protocol.LENGTH + 1);
            int rest = greetingLength(head) - 1;
            if (rest < 0) {
                first = ByteBuffer.wrap(head);
            } else {
                in.skipNBytes(rest);
            }
        }

        private static int greetingLength(byte[] head) {
            boolean mayBe = head.length > Protocol.LENGTH && (head[Protocol.LENGTH] & 0xff) == Protocol.GREETING;
            return mayBe ? Protocol.greetingLength(ByteBuffer.wrap(head).getInt()) : 0;
        }
    }
}

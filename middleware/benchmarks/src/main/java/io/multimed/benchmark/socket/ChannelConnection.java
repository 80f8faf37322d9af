// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.socket;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A connection with a blocking channel. */
final class ChannelConnection implements Connection {
    private final ByteBuffer request = ByteBuffer.allocateDirect(REQUEST);
    private final ByteBuffer response = ByteBuffer.allocateDirect(RESPONSE);
    private final SocketChannel channel;

    ChannelConnection(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public void roundTrip() throws IOException {
        request.clear();
        while (request.hasRemaining()) {
            channel.write(request);
        }
        response.clear();
        while (response.hasRemaining()) {
            if (channel.read(response) < 0) {
                throw new EOFException("the server has closed the connection");
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.socket;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;

/** A connection that reads and writes as the driver does. */
final class StreamConnection implements Connection {
    private static final int BUFFER = 32 << 10;

    private final byte[] request = new byte[REQUEST];
    private final byte[] response = new byte[RESPONSE];
    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    StreamConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER));
        this.out = socket.getOutputStream();
    }

    @Override
    public void roundTrip() throws IOException {
        out.write(request);
        in.readFully(response);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

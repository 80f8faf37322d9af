// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import io.multimed.protocol.Frame;
import io.multimed.protocol.request.Request;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.WireWriter;
import io.multimed.server.communication.peer.LocalConnection;
import io.multimed.server.communication.transport.ClientTransport;
import io.multimed.server.communication.transport.ReceivedFrame;
import io.multimed.server.node.task.CallingThread;
import io.multimed.server.node.task.VirtualThreads;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client within this process. The thread that calls waits for the answer, and runs the tasks of its request meanwhile
 * ({@link CallingThread}), unless the wait has a limit: nothing could end a task of the thread itself. One thread at a
 * time calls; all threads may close.
 */
public final class EmbeddedClient implements ClientTransport, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedClient.class);

    /** Larger requests count against the memory for requests. */
    private static final int FREE_BYTES = 8 << 10;

    private static final LocalConnection HERE = new LocalConnection(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));

    private final SessionRegistry sessions;
    private final ClientSession session;
    private final CallingThread calling = new CallingThread();

    /** Used by the thread that calls. */
    private final WireWriter buffer = new WireWriter();

    /** The number of the present request. Written by the thread that calls. */
    private volatile int awaited;

    /** The answer that has arrived, also an error that answers no request; null before. */
    private volatile @Nullable Response answer;

    /** Completed with the answer, or without one if the connection is closed; null if the calling thread runs tasks. */
    private volatile @Nullable CompletableFuture<Boolean> arrival;

    private volatile boolean closed;

    EmbeddedClient(SessionRegistry sessions) {
        this.sessions = sessions;
        this.session = sessions.connected(receiver -> this);
    }

    /**
     * Sends a request, and returns the answer.
     *
     * @param millis limit for the answer; 0 for no limit
     * @throws SocketTimeoutException if no answer has arrived within the limit; the connection is then closed
     * @throws IOException if the connection is closed
     */
    public Response call(int sequence, Request request, int millis) throws IOException {
        ReceivedFrame frame = frame(sequence, request);
        awaited = sequence;
        Response told = answer; // why the connection was closed
        if (told == null) {
            if (millis > 0 || VirtualThreads.isCurrent()) {
                send(frame, millis);
            } else {
                calling.call(() -> receive(frame));
            }
            told = answer;
        } else {
            frame.release();
        }
        answer = null;
        if (told == null) {
            throw new EOFException("the connection was closed");
        }
        return told;
    }

    /** Sends a message that has no answer. */
    public void send(int sequence, Request request) {
        session.received(frame(sequence, request));
    }

    private ReceivedFrame frame(int sequence, Request request) {
        Frame.writeTo(sequence, request, buffer);
        byte[] bytes = Arrays.copyOfRange(buffer.array(), Protocol.LENGTH, buffer.size());
        ReceivedFrame frame = new ReceivedFrame(bytes, sessions.memory(), 0);
        if (bytes.length > FREE_BYTES) {
            frame.reserve();
        }
        return frame;
    }

    /** A session that is over answers no more, and neither does one that has failed, for example without a stack. */
    private void receive(ReceivedFrame frame) {
        try {
            session.received(frame);
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            closeOnFlush();
            LOG.error("a request has failed, and its session ends", e);
        }
        if (closed) {
            arrived();
        }
    }

    /**
     * Sends a request, and waits while threads of the nodes handle the request.
     *
     * @param millis limit for the answer; 0 for no limit
     */
    private void send(ReceivedFrame frame, int millis) throws IOException {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        arrival = result;
        boolean interrupted = false;
        try {
            receive(frame);
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            while (!result.isDone()) {
                try {
                    if (millis > 0) {
                        result.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                    } else {
                        result.get();
                    }
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (TimeoutException | ExecutionException e) {
            close();
            throw new SocketTimeoutException("no answer within %d ms".formatted(millis));
        } finally {
            arrival = null;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void arrived() {
        CompletableFuture<Boolean> present = arrival;
        if (present == null) {
            calling.answered();
        } else {
            present.complete(true); // and nothing else: the calling thread may send its next request by now
        }
    }

    /** Ends the session, also while another thread waits for an answer. Further calls have no effect. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            sessions.disconnected(session);
        }
    }

    @Override
    public CallingThread caller() {
        return calling;
    }

    @Override
    public String remoteAddress() {
        return "embedded";
    }

    @Override
    public LocalConnection ends() {
        return HERE;
    }

    @Override
    public String tls() {
        return "";
    }

    @Override
    public byte[] channelBinding() {
        return new byte[0];
    }

    @Override
    public void send(int sequence, Response response) {
        if (sequence != 0 && sequence != awaited) {
            return; // its client has received why the session ends
        }
        if (answer == null || !(response instanceof ErrorReport)) {
            answer = response;
        }
        arrived();
    }

    @Override
    public void whenRead(Runnable action) {
        action.run();
    }

    @Override
    public void awaitWrites() {
        // The answer is with the client when it is sent.
    }

    /** Also the end of the session, whose client receives nothing more. */
    @Override
    public void releaseAnswers() {
        arrived();
    }

    @Override
    public void checkLimits() {
        // Nothing is written, and no request arrives in parts.
    }

    /** The caller still uses the session. */
    @Override
    public void closeOnFlush() {
        closed = true;
        try {
            sessions.readers().execute(() -> sessions.disconnected(session));
        } catch (RejectedExecutionException e) {
            sessions.disconnected(session); // the middleware is stopping
        }
    }

    @Override
    public void closeNow() {
        closeOnFlush();
    }

    @Override
    public void closeLate() {
        // The client has received the error.
    }

    @Override
    public void stopReading() {
        closed = true;
    }

    @Override
    public void resumeClosed() {
        // No request waits for the client to read.
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc;

import io.multimed.protocol.Frame;
import io.multimed.protocol.request.Cancel;
import io.multimed.protocol.request.CloseCursor;
import io.multimed.protocol.request.Commit;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.Goodbye;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.request.Ping;
import io.multimed.protocol.request.Request;
import io.multimed.protocol.request.Rollback;
import io.multimed.protocol.response.Done;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.response.ResultSetHead;
import io.multimed.protocol.response.Rows;
import io.multimed.protocol.response.Welcome;
import io.multimed.protocol.session.EngineIdentity;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.ValueCodec;
import io.multimed.protocol.wire.WireWriter;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A middleware within the test: accepts the driver's connections on a real socket, and answers each request as a script
 * says. It takes the place of the server; there is no engine behind it.
 */
public final class ScriptedMiddleware implements AutoCloseable {
    public static final EngineIdentity POSTGRESQL = new EngineIdentity("PostgreSQL", "17.2", 17, 2, 2);
    public static final EngineIdentity MYSQL = new EngineIdentity("MySQL", "8.4.0", 8, 4, 4);
    public static final SessionStatus IDLE = new SessionStatus(false, false, 0, 7);
    public static final SessionStatus IN_TRANSACTION = new SessionStatus(true, false, 0, 7);

    /** Answers requests. A null response leaves the request unanswered; {@link LostConnection} closes the socket. */
    @FunctionalInterface
    public interface Script {
        @Nullable
        Response answer(Request request) throws Exception;
    }

    /** Makes the middleware close the socket instead of answering. */
    public static final class LostConnection extends RuntimeException {}

    private final ServerSocket server;
    private final Socket boundPort = new Socket();
    private final Thread acceptor;
    private final EngineIdentity engine;
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger sessions = new AtomicInteger();
    private volatile Script script = request -> null;

    public ScriptedMiddleware(EngineIdentity engine) throws IOException {
        this.engine = engine;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.acceptor = start(this::accept);
    }

    /** Answers the following requests by a script; requests for which the script has no answer get the usual one. */
    public ScriptedMiddleware answering(Script answers) {
        script = answers;
        return this;
    }

    public String url() {
        return "jdbc:multimed://127.0.0.1:%d/shop".formatted(server.getLocalPort());
    }

    /** @param properties as in a URL, such as {@code socketTimeout=1&user=me} */
    public Connection connect(String properties) throws SQLException {
        return DriverManager.getConnection(url() + "?" + properties);
    }

    public Connection connect() throws SQLException {
        return connect("user=tester");
    }

    /** Returns the requests of all sessions in the order in which they arrived, without the handshakes. */
    public List<Request> requests() {
        return requests.stream().filter(request -> !(request instanceof Hello)).toList();
    }

    public <T extends Request> List<T> requests(Class<T> type) {
        return requests.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** Returns the SQL of all statements; null for one that the driver refers to by its number alone. */
    public List<@Nullable String> statements() {
        return requests(Execute.class).stream()
                .<@Nullable String>map(execute -> execute.text().sql())
                .toList();
    }

    public int sessions() {
        return sessions.get();
    }

    /** Returns the number of connections that were made until now, also those that only cancel a request. */
    public int connections() throws SQLException {
        connect().close(); // accepted after all others
        return sockets.size();
    }

    /**
     * Closes the listening socket: the driver cannot connect any more. The port stays bound until the end, so that no
     * other test that runs at the same time can listen there.
     */
    public void stopListening() throws IOException, InterruptedException {
        SocketAddress address = server.getLocalSocketAddress();
        server.close();
        // The system closes the socket when no thread is accepting connections any more.
        acceptor.join();
        boundPort.setReuseAddress(true);
        boundPort.bind(address);
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                sockets.add(socket);
                start(() -> serve(socket));
            }
        } catch (IOException e) {
            // The test is over, or has stopped listening.
            return;
        }
    }

    private static Thread start(Runnable task) {
        Thread thread = new Thread(task, "scripted-middleware");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                byte[] bytes = new byte[in.readInt()];
                in.readFully(bytes);
                Frame frame = Frame.decode(bytes);
                Request request = (Request) frame.message();
                requests.add(request);
                Response response = response(request);
                if (response != null) {
                    socket.getOutputStream().write(Frame.encode(frame.sequence(), response, new WireWriter()));
                }
            }
        } catch (EOFException | LostConnection e) {
            // The client has gone, or the script wants the connection to be lost.
            return;
        } catch (IOException e) {
            // The client has closed its socket while this side was writing.
            return;
        }
    }

    private @Nullable Response response(Request request) {
        if (request instanceof Goodbye) {
            return null;
        }
        try {
            Response scripted = script.answer(request);
            return scripted == null ? usual(request) : scripted == SILENCE ? null : scripted;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Stands for no response at all. */
    public static final Response SILENCE = new Done(SessionStatus.NONE);

    private Response usual(Request request) {
        if (request instanceof Hello) {
            return welcome(new byte[0]);
        } else if (request instanceof Execute) {
            return executed(IDLE, new Outcome.Count(1));
        }
        boolean isKnown = request instanceof Commit
                || request instanceof Rollback
                || request instanceof Ping
                || request instanceof Cancel
                || request instanceof CloseCursor;
        return isKnown ? new Done(IDLE) : error(IDLE, "XX000", "the script does not answer " + request);
    }

    /** Returns the welcome to a new session; session and cancel key are numbered from 1 and 101. */
    public Welcome welcome(byte[] signature) {
        int session = sessions.incrementAndGet();
        return new Welcome(session, 100 + session, 5, signature, engine, false, List.of("master", "satellite-1"));
    }

    public static Executed executed(SessionStatus status, Outcome... outcomes) {
        return new Executed(status, List.of(outcomes), null, List.of());
    }

    public static ErrorReport error(SessionStatus status, String state, String message) {
        return new ErrorReport(status, state, 0, message, "master");
    }

    /** Returns a whole result set. */
    public static Outcome.Rowset rowset(List<Column> columns, Object[]... rows) {
        return new Outcome.Rowset(new ResultSetHead(0, false, columns), batch(true, rows));
    }

    /** Returns the first batch of a result set whose other rows are fetched from a cursor. */
    public static Outcome.Rowset firstBatch(int cursor, List<Column> columns, Object[]... rows) {
        return new Outcome.Rowset(new ResultSetHead(cursor, false, columns), batch(false, rows));
    }

    public static Rows batch(boolean last, @Nullable Object[]... rows) {
        WireWriter out = new WireWriter();
        for (@Nullable Object[] row : rows) {
            for (Object value : row) {
                ValueCodec.write(value, out);
            }
        }
        return new Rows(rows.length, last, out.toByteArray());
    }

    public static Column column(String label, int type, String typeName) {
        int nullable = ResultSetMetaData.columnNullable;
        return new Column(
                label, label, type, typeName, "java.lang.Object", 0, 0, 0, nullable, true, false, false, false);
    }

    public static Column integer(String label) {
        return column(label, Types.INTEGER, "int4");
    }

    public static Column text(String label) {
        return column(label, Types.VARCHAR, "text");
    }

    @Override
    public void close() throws IOException {
        server.close();
        boundPort.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}

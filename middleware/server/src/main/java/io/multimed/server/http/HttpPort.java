// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.multimed.server.node.NamedThreads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HTTP port with threads of its own. Threads, waiting requests, connections and the time of a request are limited,
 * so that clients that send slowly, or very much, delay only the other clients of the same port.
 */
public final class HttpPort implements AutoCloseable {
    static final Logger LOG = LoggerFactory.getLogger(HttpPort.class);

    /** Requests that wait for a thread; the connections of further ones are closed. */
    private static final int WAITING = 50;

    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    /**
     * The limits of the runtime's HTTP server, which reads them once, from system properties: seconds to read a request
     * and to write its response, and the number of open and of idle connections per port.
     */
    private static final Map<String, String> LIMITS = Map.of(
            "sun.net.httpserver.maxReqTime", "10",
            "sun.net.httpserver.maxRspTime", "60",
            "jdk.httpserver.maxConnections", "200",
            "sun.net.httpserver.maxIdleConnections", "100",
            "sun.net.httpserver.nodelay", "true");

    static {
        LIMITS.forEach((name, value) -> System.getProperties().putIfAbsent(name, value));
    }

    private final HttpServer server;
    private final ThreadPoolExecutor threads;
    private final Map<String, String> headers;

    /** Answers requests, on a thread of the port. May answer later, on another thread. */
    public interface Handler {
        /**
         * @throws IOException if the request cannot be read
         * @throws IllegalArgumentException if the request is wrong; the message goes to the client
         */
        void handle(HttpRequest request) throws IOException;
    }

    /** Where a port listens, and how. */
    public static final class Options {
        private final InetSocketAddress address;
        private final String key;
        private int threadCount = 2;
        private Map<String, String> headers = Map.of();

        /**
         * @param address port 0 selects a free port
         * @param key the key of the System Model that sets the port, for messages; also names the threads
         */
        public Options(InetSocketAddress address, String key) {
            this.address = address;
            this.key = key;
        }

        /** Sets the number of threads. */
        public Options threads(int count) {
            threadCount = count;
            return this;
        }

        /** Sets headers of all answers. */
        public Options headers(Map<String, String> all) {
            headers = all;
            return this;
        }
    }

    private HttpPort(HttpServer server, Options options) {
        this.server = server;
        this.headers = options.headers;
        this.threads = new ThreadPoolExecutor(
                options.threadCount,
                options.threadCount,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING),
                new NamedThreads(options.key));
        server.setExecutor(threads);
    }

    /**
     * Creates a port, which {@link #start} opens for requests.
     *
     * @param tls the certificate; null for a port without encryption
     * @param askClients whether clients need a certificate
     * @throws IOException if the port is in use, or the address does not belong to this machine
     */
    public static HttpPort create(Options options, @Nullable SSLContext tls, boolean askClients) throws IOException {
        try {
            if (tls == null) {
                return new HttpPort(HttpServer.create(options.address, WAITING), options);
            }
            HttpsServer server = HttpsServer.create(options.address, WAITING);
            server.setHttpsConfigurator(configurator(tls, askClients));
            return new HttpPort(server, options);
        } catch (IOException e) {
            throw new IOException(
                    "cannot listen on %s:%d (%s.port): %s; choose another port, or stop the process that listens there"
                            .formatted(
                                    options.address.getHostString(),
                                    options.address.getPort(),
                                    options.key,
                                    e.getMessage()),
                    e);
        }
    }

    private static HttpsConfigurator configurator(SSLContext tls, boolean askClients) {
        return new HttpsConfigurator(tls) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters wanted = tls.getDefaultSSLParameters();
                wanted.setProtocols(PROTOCOLS);
                wanted.setNeedClientAuth(askClients);
                parameters.setSSLParameters(wanted);
            }
        };
    }

    /** Uses another certificate for new connections. */
    public void renew(SSLContext tls, boolean askClients) {
        if (server instanceof HttpsServer https) {
            https.setHttpsConfigurator(configurator(tls, askClients));
        }
    }

    /** Lets a handler answer all requests whose path begins with {@code path}. */
    public void handle(String path, Handler handler) {
        server.createContext(path, exchange -> answer(exchange, handler));
    }

    /** A page that is read with GET. */
    public interface Page {
        HttpAnswer answer();
    }

    /** Lets a page answer requests of exactly this path. */
    public void page(String path, Page page) {
        handle(path, request -> {
            if (!request.path().equals(path)) {
                request.answer(HttpAnswer.text(HttpAnswer.NOT_FOUND, "there is no such page"));
            } else if (!request.method().equals("GET")) {
                request.answer(HttpAnswer.text(HttpAnswer.NOT_ALLOWED, "use GET"));
            } else {
                request.answer(page.answer());
            }
        });
    }

    private void answer(HttpExchange exchange, Handler handler) {
        HttpRequest request = new HttpRequest(exchange, headers);
        try {
            handler.handle(request);
        } catch (IllegalArgumentException e) {
            fail(request, HttpAnswer.text(HttpAnswer.BAD_REQUEST, String.valueOf(e.getMessage())));
        } catch (IOException e) {
            LOG.debug("a request could not be read", e);
            exchange.close();
        } catch (RuntimeException e) {
            LOG.error("{} could not be answered", request.path(), e);
            fail(request, HttpAnswer.text(HttpAnswer.FAILED, "internal error; see the log of the middleware"));
        }
    }

    private static void fail(HttpRequest request, HttpAnswer answer) {
        if (!request.isAnswered()) {
            request.answer(answer);
        }
    }

    public void start() {
        server.start();
    }

    public InetSocketAddress address() {
        return server.getAddress();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}

package io.multimed.middleware;

import static io.multimed.middleware.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.middleware.node.engine.NodeAccess;
import io.multimed.model.SystemModel;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad input, clients that vanish, and many of them: each gets a clear answer, and the rest goes on. */
@Timeout(600)
class RobustnessTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of("""
                        listen: {users: [{name: tester, password: right}], max-frame: 1m}
                        share-cores: true
                        nodes:
                        - {name: master, role: master, memory: 128m, pool: 8}
                        - {name: satellite-1, role: satellite, memory: 128m, pool: 8}
                        """).awaitOnline();
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (a int PRIMARY KEY, b int NOT NULL)");
            statement.execute("INSERT INTO t VALUES (1, 0), (2, 0)");
        }
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(cluster.url(), "tester", "right");
    }

    @Test
    void shouldRefuseAWrongPasswordAndAnUnknownUserAlike() {
        for (String[] who : new String[][] {{"tester", "wrong"}, {"nobody", "right"}}) {
            assertThatThrownBy(() -> DriverManager.getConnection(cluster.url(), who[0], who[1]))
                    .hasMessage("password authentication failed for user \"%s\"".formatted(who[0]))
                    .extracting("SQLState")
                    .isEqualTo("28P01");
        }
        assertThatThrownBy(() -> DriverManager.getConnection(cluster.url(), "tester", ""))
                .hasMessageContaining("asks user");
    }

    @Test
    void shouldRefuseAnUnknownDatabase() {
        String url = cluster.url().replace("/shop", "/other");
        assertThatThrownBy(() -> DriverManager.getConnection(url, "tester", "right"))
                .hasMessageContaining("\"other\" is not served here");
    }

    @Test
    void shouldHangUpOnGarbageAndOnFramesThatAreTooLarge() throws Exception {
        byte[] web = "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        byte[] huge = {0x7f, 0, 0, 0, 1};
        for (byte[] sent : List.of(web, huge)) {
            try (Socket socket = new Socket(
                    InetAddress.getLoopbackAddress(),
                    cluster.middleware().address().getPort())) {
                socket.getOutputStream().write(sent);
                InputStream in = socket.getInputStream();
                assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .contains("listen.max-frame");
            }
        }
        try (Connection connection = connect()) {
            assertThat(connection.isValid(60)).isTrue();
        }
    }

    @Test
    void shouldRollBackWhenAClientVanishesInATransaction() throws Exception {
        Connection vanishing = connect();
        vanishing.setAutoCommit(false);
        try (Statement statement = vanishing.createStatement()) {
            statement.executeUpdate("UPDATE t SET b = 99 WHERE a = 1");
        }
        vanishing.abort(Runnable::run);
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(180);
            assertThat(statement.executeUpdate("UPDATE t SET b = b + 1 WHERE a = 1"))
                    .isEqualTo(1);
            try (ResultSet row = statement.executeQuery("SELECT b FROM t WHERE a = 1")) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(1);
            }
        }
    }

    @Test
    void shouldCancelWhatRunsAndKeepTheConnection() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            CountDownLatch begun = new CountDownLatch(1);
            Future<?> cancelled = other.submit(() -> {
                begun.countDown();
                assertThatThrownBy(() -> statement.execute("SELECT pg_sleep(60)"))
                        .extracting("SQLState")
                        .isEqualTo("57014");
            });
            begun.await();
            await().atMost(Duration.ofMinutes(3)).until(() -> {
                statement.cancel();
                return cancelled.isDone();
            });
            cancelled.get();
            statement.setQueryTimeout(1);
            assertThatThrownBy(() -> statement.execute("SELECT pg_sleep(60)"))
                    .extracting("SQLState")
                    .isEqualTo("57014");
            statement.setQueryTimeout(0);
            assertThat(statement.execute("SELECT 1")).isTrue();
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void shouldServeAThousandClientsOnEightConnectionsWithoutAThreadForEach() throws Exception {
        List<Connection> clients = new ArrayList<>();
        ExecutorService users = Executors.newFixedThreadPool(40);
        try {
            int threads = Thread.activeCount();
            for (int i = 0; i < 1_000; i++) {
                clients.add(connect());
            }
            assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads + 20);
            List<Future<Integer>> answers = new ArrayList<>();
            for (Connection client : clients) {
                answers.add(users.submit(() -> readAndUpdate(client)));
            }
            for (Future<Integer> answer : answers) {
                assertThat(answer.get()).isEqualTo(1);
            }
        } finally {
            users.shutdownNow();
            for (Connection client : clients) {
                client.close();
            }
        }
        assertThatThrownBy(() -> {
                    List<Connection> tooMany = new ArrayList<>();
                    try {
                        for (int i = 0; i < 1_100; i++) {
                            tooMany.add(connect());
                        }
                    } finally {
                        for (Connection connection : tooMany) {
                            connection.close();
                        }
                    }
                })
                .hasMessageContaining("listen.max-clients");
    }

    private static int readAndUpdate(Connection client) throws SQLException {
        try (Statement statement = client.createStatement()) {
            try (ResultSet row = statement.executeQuery("SELECT b FROM t WHERE a = 2")) {
                row.next();
            }
            return statement.executeUpdate("UPDATE t SET b = b + 1 WHERE a = 2");
        }
    }

    @Test
    void shouldKeepSessionStateWithItsClient() throws Exception {
        try (Connection one = connect();
                Connection two = connect();
                Statement first = one.createStatement();
                Statement second = two.createStatement()) {
            first.execute("SET search_path = pg_catalog");
            first.execute("CREATE TEMP TABLE mine (x int)");
            first.execute("INSERT INTO mine VALUES (5)");
            try (ResultSet row = first.executeQuery("SELECT x, current_setting('search_path') FROM mine")) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(5);
                assertThat(row.getString(2)).isEqualTo("pg_catalog");
            }
            for (int i = 0; i < 20; i++) {
                try (ResultSet row = second.executeQuery("SHOW search_path")) {
                    row.next();
                    assertThat(row.getString(1)).isNotEqualTo("pg_catalog");
                }
            }
            assertThatThrownBy(() -> second.executeQuery("SELECT * FROM mine"))
                    .extracting("SQLState")
                    .isEqualTo("42P01");
        }
    }

    @Test
    void shouldNeverWriteOnASatellite() throws Exception {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            try (ResultSet row = statement.executeQuery("SELECT count(*) FROM t")) {
                assertThat(row.next()).isTrue();
            }
            assertThatThrownBy(() -> statement.execute("SET TRANSACTION READ WRITE"))
                    .isInstanceOf(SQLException.class);
            connection.rollback();
            assertThatThrownBy(() -> statement.executeUpdate("INSERT INTO t VALUES (77, 1)"))
                    .extracting("SQLState")
                    .isEqualTo("25006");
            connection.rollback();
        }
    }

    /** What overflows a stack, of Multimed's or the engine's, is this statement's failure. */
    @ParameterizedTest
    @ValueSource(strings = {"SELECT %s1%s", "SELECT a FROM t WHERE a IN %s1%s", "UPDATE t SET b = %s1%s"})
    void shouldSurviveAStatementThatIsNestedTooDeeply(String sql) throws Exception {
        String nested = sql.formatted("(".repeat(200_000), ")".repeat(200_000));
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute(nested)).isInstanceOf(SQLException.class);
            assertThat(text(connection, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void shouldSayWhichPortIsTaken() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            SystemModel model = SystemModel.parse("database: shop\nnodes:\n- {name: master, role: master}\n", "m")
                    .withPort(taken.getLocalPort());
            try (TestCluster other = TestCluster.withSatellites(0)) {
                other.middleware().close();
                assertThatThrownBy(() -> Middleware.start(model, node -> access(other)))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining(Integer.toString(taken.getLocalPort()))
                        .hasMessageContaining("listen.port");
            }
        }
    }

    @Test
    void shouldRefuseASecondMiddlewareOnTheSameMasterAndADeadMaster() throws Exception {
        SystemModel model = SystemModel.parse("database: shop\nnodes:\n- {name: master, role: master}\n", "m")
                .withPort(0);
        try (TestCluster other = TestCluster.withSatellites(0)) {
            assertThatThrownBy(() -> Middleware.start(model, node -> access(other)))
                    .hasMessageContaining("another middleware is running on this master");
        }
        NodeAccess nobody = new NodeAccess("master", "jdbc:postgresql://127.0.0.1:1/shop", "postgres", "");
        assertThatThrownBy(() -> Middleware.start(model, node -> nobody)).hasMessageContaining("127.0.0.1:1");
    }

    @Test
    void shouldNotUpdateAnyMoreWhenAnotherMiddlewareHasTakenOver() throws Exception {
        SystemModel model = SystemModel.parse("database: shop\nnodes:\n- {name: master, role: master}\n", "m")
                .withPort(0);
        try (TestCluster other = TestCluster.withSatellites(0);
                Connection overtaken = other.connect();
                Connection direct = other.direct("master");
                Statement plain = direct.createStatement();
                Statement update = overtaken.createStatement()) {
            update.execute("CREATE TABLE once (id int PRIMARY KEY)");
            // What the first one loses when the network between it and its master is cut for a moment.
            plain.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'");
            try (Middleware second = Middleware.start(model, node -> access(other));
                    Connection connection = DriverManager.getConnection(second.jdbcUrl(), "tester", "");
                    Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO once VALUES (1)");
                assertThatThrownBy(() -> update.execute("INSERT INTO once VALUES (2)"))
                        .isInstanceOf(SQLException.class);
                try (ResultSet row = statement.executeQuery("SELECT count(*) FROM once")) {
                    row.next();
                    assertThat(row.getInt(1)).isEqualTo(1);
                }
            }
        }
    }

    private static NodeAccess access(TestCluster other) {
        var engine = other.engine("master");
        return new NodeAccess("master", engine.jdbcUrl(), engine.user(), engine.password());
    }
}

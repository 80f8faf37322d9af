package io.multimed.engine.postgresql.master;

import io.multimed.engine.master.CaptureInstaller;
import io.multimed.engine.postgresql.connection.PostgresConnections;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.connection.Quoting;
import io.multimed.engine.postgresql.connection.Relations;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;

/** Creates the tables and triggers of {@code postgresql/install.sql}. */
public final class PostgresCaptureInstaller implements CaptureInstaller {
    @Override
    public void install(Connection master, ReplicatedTables held, boolean captureBypassing) throws SQLException {
        try (Statement statement = master.createStatement()) {
            checkUser(master);
            checkEncoding(statement);
            statement.execute(scripts(captureBypassing));
            for (Relation relation : Relations.all(statement)) {
                if (held.includes(relation.schema(), relation.table())) {
                    statement.execute(watch(relation));
                }
            }
        }
        Queries.end(master);
    }

    @Override
    public void captureTables(Connection master, ReplicatedTables held) throws SQLException {
        for (Relation relation : relations(master)) {
            if (held.includes(relation.schema(), relation.table())) {
                try (Statement statement = master.createStatement()) {
                    statement.execute("SET LOCAL lock_timeout = '2s'"); // whoever writes to the table waits behind us
                    statement.execute(watch(relation));
                }
            }
            Queries.end(master);
        }
    }

    /** What bypasses the middleware is captured or refused. */
    private String scripts(boolean captureBypassing) {
        return PostgresConnections.SCRIPTS.script("install")
                + PostgresConnections.SCRIPTS.script("sessions")
                + PostgresConnections.SCRIPTS.script(captureBypassing ? "capture" : "refuse")
                + PostgresConnections.SCRIPTS.script("large")
                + PostgresConnections.SCRIPTS.script("ddl")
                + PostgresConnections.SCRIPTS.script("rights");
    }

    private String watch(Relation relation) {
        return PostgresConnections.SCRIPTS.script(
                "watch", Map.of("relation", Quoting.table(relation).replace("'", "''")));
    }

    /** By PostgreSQL's default search_path, a user's own tables go into the schema of the user's name. */
    private static void checkUser(Connection master) throws SQLException {
        if (master.getMetaData().getUserName().equals("multimed")) {
            throw new SQLException(
                    "the master's user must not be called multimed: its tables would go into the schema that Multimed keeps for itself",
                    "28000");
        }
    }

    /** Captured changes give lengths in bytes; they are read as UTF-8. */
    private static void checkEncoding(Statement statement) throws SQLException {
        List<String> encoding = Queries.texts(statement, "SHOW server_encoding");
        if (!encoding.contains("UTF8")) {
            throw new SQLException(
                    "the master's database has the encoding %s; Multimed needs UTF8".formatted(encoding.get(0)),
                    "0A000");
        }
    }

    private static List<Relation> relations(Connection master) throws SQLException {
        try (Statement statement = master.createStatement()) {
            return Relations.all(statement);
        }
    }
}

package io.multimed.triggers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The .sql files of one engine, found by the engine's name as the System Model writes it. */
public final class TriggerSql {
    private final String engine;

    public TriggerSql(String engine) {
        this.engine = engine;
    }

    /**
     * Makes Multimed's schema and functions on the master; safe to run again.
     *
     * @param captureBypassing whether writes past the middleware are captured; otherwise they are refused
     */
    public String install(boolean captureBypassing) {
        return read("install") + read(captureBypassing ? "capture" : "refuse") + read("large") + read("ddl");
    }

    /** Makes Multimed's schema on a satellite; safe to run again. */
    public String installOnSatellite() {
        return read("satellite");
    }

    /** Takes everything of Multimed's out of a master. */
    public String remove() {
        return read("remove");
    }

    /**
     * Puts the capture triggers on a relation; does nothing where they are.
     *
     * @param relation schema and name, quoted as the engine wants them in SQL
     */
    public String watch(String relation) {
        return read("watch").replace("${relation}", relation.replace("'", "''"));
    }

    private String read(String name) {
        String path = engine + "/" + name + ".sql";
        try (InputStream in = TriggerSql.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalArgumentException("no " + path + ": Multimed has no triggers for this engine");
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + path, e);
        }
    }
}

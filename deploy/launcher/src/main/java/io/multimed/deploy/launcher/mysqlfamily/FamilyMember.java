package io.multimed.deploy.launcher.mysqlfamily;

import io.multimed.deploy.launcher.ServerHome;
import java.nio.file.Path;
import java.util.List;

/** What MariaDB and MySQL do each in its own way. */
public interface FamilyMember {
    /** The engine's name for people. */
    String title();

    /**
     * The command that makes new data in {@link ServerHome#unfinished}, without a password and without its user's being able to connect from elsewhere.
     *
     * @param settings the option file of the server
     */
    List<String> initialisation(ServerHome home, Installation installation, Path settings);

    /** The setting that is the size of the log. */
    String logSize();

    /** Settings that the other one does not know, as lines of the option file. */
    List<String> settings(ServerHome home);

    /** What stands behind the database in the JDBC URL, with its question mark. */
    String urlProperties();
}

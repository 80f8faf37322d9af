// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.mysqlfamily;

import io.multimed.deploy.launcher.ServerHome;
import java.nio.file.Path;
import java.util.List;

/** Differences between MariaDB and MySQL. */
public interface FamilyMember {
    /** Returns the engine's name for users. */
    String title();

    /**
     * Returns the command that initializes {@link ServerHome#unfinished}, without a password, and in a way that the
     * user cannot connect from other machines.
     *
     * @param settings the option file of the server
     */
    List<String> initialisation(ServerHome home, Installation installation, Path settings);

    /** Returns the name of the setting for the size of the log. */
    String logSize();

    /** Returns settings that only this engine has, as lines of the option file. */
    List<String> settings(ServerHome home);

    /** Returns the properties of the JDBC URL, beginning with a question mark. */
    String urlProperties();
}

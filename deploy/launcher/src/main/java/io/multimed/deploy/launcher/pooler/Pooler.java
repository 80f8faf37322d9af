// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.pooler;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A connection pooler for one engine: its settings and its command line. Stateless. */
public interface Pooler {
    /** Returns the name for options and figures, in lower case. */
    String name();

    /** Returns the name for texts. */
    String title();

    /** Returns the file name of the program. */
    String program();

    /** Returns the package of Debian that contains the program. */
    String debianPackage();

    /**
     * Returns the contents of the files in the pooler's folder, by name. Only the account that runs the pooler can read
     * the files: they contain the password.
     *
     * @param folder the absolute path of the folder
     */
    Map<String, String> files(Path folder, PoolerSpec spec, Version version);

    /** Returns the command line of the pooler, which stays in the foreground and logs to standard output. */
    List<String> command(Path program, Path folder);

    /** Returns the signal, without SIG, that ends the pooler without waiting for clients. */
    String stopSignal(Version version);

    /** Returns what the pooler requires of the engine's JDBC driver, as parameters of its URL. */
    Map<String, String> driverSettings(Version version);

    /** Returns a remark on the comparison with this version of the pooler; empty if there is none. */
    String remark(Version version);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.administration;

import io.multimed.server.dispatcher.rights.SessionRights;
import java.util.Locale;

/**
 * The client that asks for the state of the system. Administrators see everything but literals. Other clients see no
 * texts of other users; those whose statements run as an engine role see no names of tables that the role may not read.
 *
 * @param administrator whether the client may change and verify the running system
 */
public record Viewer(String user, boolean administrator, SessionRights rights) {
    /** Returns whether the client may see names of all objects of the database, because it may read all of them. */
    public boolean seesAllNames() {
        return administrator || rights.role() == null;
    }

    /** @param table with or without a schema and a dot before the name */
    boolean seesTable(String table) {
        return seesAllNames()
                || rights.mayRead(table.substring(table.indexOf('.') + 1).toLowerCase(Locale.ROOT));
    }

    /** Returns whether the client may see a metric: those of users are for the user, and for administrators. */
    boolean sees(MetricSample sample) {
        return administrator
                || !sample.name().startsWith("multimed_user_")
                || sample.labels().equals("user=" + user);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import java.sql.SQLException;

/**
 * The database accesses of one web interaction, in one transaction. Stateless: the state of a user's session is in
 * {@link UserSession}.
 */
public interface Interaction {
    /**
     * Runs the interaction.
     *
     * @param shop statements on the browser's connection
     * @throws SQLException after a rollback
     */
    void perform(Statements shop, UserSession shopper) throws SQLException;
}

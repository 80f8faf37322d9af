package io.multimed.tpcw.interaction;

import java.sql.SQLException;

/** One web interaction: what it asks of the database, in one transaction. Stateless; what the user's session remembers is in the {@link UserSession}. */
public interface Interaction {
    void run(Statements shop, UserSession shopper) throws SQLException;
}

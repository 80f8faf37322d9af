// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.rights;

import io.multimed.engine.dialect.CatalogReader;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.Lease;
import io.multimed.server.node.LeaseRequest;
import java.sql.SQLException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the master's engine check, in a session of a role, whether the role may read everything that a query reads. Names
 * in a text are a conclusion of Multimed's; this check rests on the engine's own parser (architecture 4.7).
 * Thread-safe.
 */
public final class PrivilegeCheck {
    private static final Logger LOG = LoggerFactory.getLogger(PrivilegeCheck.class);

    private final ComputationalNode master;

    public PrivilegeCheck(ComputationalNode master) {
        this.master = master;
    }

    /**
     * Checks a query on a connection of the role on which the engine refuses all changes. Does not block.
     *
     * @param then receives whether the role has all privileges, on any thread; false also if the check has failed
     */
    public void check(String role, String query, CatalogReader.Parameters parameters, Consumer<Boolean> then) {
        master.lease(new LeaseRequest() {
            @Override
            public boolean readsOnly() {
                return true;
            }

            @Override
            public @Nullable String role() {
                return role;
            }

            @Override
            public void leased(Lease lease) {
                then.accept(isPermitted(lease, query, parameters));
            }

            @Override
            public void refused(SQLException cause) {
                LOG.debug("no connection to check the privileges of the role \"{}\"", role, cause);
                then.accept(false);
            }
        });
    }

    /**
     * Returns the connection before the result is used: the statement may need the connection. The engine reads the
     * constants of the query, and thereby may run the checks of types: their session is restored.
     */
    private boolean isPermitted(Lease lease, String query, CatalogReader.Parameters parameters) {
        lease.markSessionChanged();
        try {
            master.engine().dialect().catalog().checkPrivileges(lease.connection(), query, parameters);
            lease.release();
            return true;
        } catch (SQLException e) {
            LOG.debug("the master decides about a query of a role", e);
            lease.release();
            return false;
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            LOG.warn("the privileges of a role cannot be checked: the master runs the query", e);
            lease.discard();
            return false;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.dispatcher.classification.StatementClassifier;
import io.multimed.server.propagation.commit.Master;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Discards cached classifications and outdated connections when the schema changes. Thread-safe.
 */
public final class SchemaInvalidation {
    private final Master master;
    private final StatementClassifier classifier;
    private final SqlDialect dialect;

    /** The last commit that may have changed facts on which classifications depend. */
    private final AtomicLong lastChange = new AtomicLong();

    /** Set before the first commit. */
    private volatile Runnable onPrivileges = () -> {};

    public SchemaInvalidation(Master master, StatementClassifier classifier) {
        this.master = master;
        this.classifier = classifier;
        this.dialect = master.node().engine().dialect();
    }

    /** Sets what runs when a committed transaction may have changed privileges. Must not block. */
    public void onPrivileges(Runnable action) {
        onPrivileges = action;
    }

    /**
     * Discards classifications and connections that a committed transaction has outdated. Called before any client is
     * answered; does not block.
     */
    public void committed(WriteSet writeSet) {
        if (dialect.catalog().mayChangeFacts(writeSet)) {
            lastChange.accumulateAndGet(position(writeSet), Math::max);
            classifier.schemaChanged();
        }
        if (writeSet.mayChangeSchema()) {
            master.pools().noteSchemaChange();
            onPrivileges.run();
        }
        if (writeSet.mayChangeSchema() && dialect.catalog().outdatesConnections(writeSet)) {
            renewConnections();
        }
    }

    /** A commit whose position in the log is not known yet is behind all that is published. */
    private long position(WriteSet writeSet) {
        long scn = writeSet.scn().value();
        return scn == 0 ? master.publisher().published().value() + 1 : scn;
    }

    /** Returns whether statements may have been classified before a change of the schema, and have run after it. */
    boolean hasChangedSince(Scn begin) {
        return lastChange.get() > begin.value();
    }

    /**
     * Called after a schema change that no WriteSet may show, such as that of a routine or a trigger, before its client
     * is answered. Does not block.
     */
    void changed() {
        classifier.schemaChanged();
    }

    /**
     * Called after a statement that may have changed privileges, and that no WriteSet shows, before its client is
     * answered.
     */
    void privilegesChanged() {
        master.pools().reopenRoles();
        onPrivileges.run();
    }

    /** Makes all further leases of the master use new connections, whose driver has not cached any schema. */
    void renewConnections() {
        master.pools().renewConnections();
    }

    /**
     * Looks whether a committed transaction has changed the settings with which sessions begin. Returns immediately.
     *
     * @param then runs when no further statement uses a session with earlier settings, on another thread
     */
    void adoptDefaults(Runnable then) {
        master.groupWorkers().execute(() -> {
            master.defaults().refresh();
            then.run();
        });
    }

    /** As above, after a statement whose effect does not wait for a commit. Blocks while a session is opened. */
    void adoptDefaults() {
        master.defaults().refresh();
    }

    /**
     * Called after a change of the settings with which sessions begin: names in statements may stand for other tables
     * and functions.
     */
    public void defaultsChanged() {
        classifier.schemaChanged();
        master.publisher().tableScns().discard();
        onPrivileges.run();
    }
}

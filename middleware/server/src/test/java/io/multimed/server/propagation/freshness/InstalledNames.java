// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import io.multimed.engine.sql.TableNames;
import io.multimed.engine.writeset.Scn;
import java.util.List;
import java.util.Set;

/** Changes of tables whose names are known from the start. */
public final class InstalledNames {
    private InstalledNames() {}

    public static TableScns of(TableNames names) throws InterruptedException {
        TableScns scns = new TableScns(Scn.ZERO, row -> List.of());
        scns.relations(Set.of()); // asks for names
        scns.install(names, scns.awaitQuestion());
        return scns;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import io.multimed.engine.mysql.schema.TableForm;
import java.util.List;
import java.util.Set;

/**
 * The changes of the schema that one WriteSet carries to the satellites. The collections are mutable.
 *
 * @param now tables that satellites receive with all rows
 * @param gone tables that satellites drop
 * @param same tables that keep their rows
 * @param tables names of all tables, also of those that have not changed
 * @param views names of the views that the statement may concern
 */
record RecordedChanges(
        List<TableForm> now, List<TableForm> gone, Set<String> same, Set<String> tables, Set<String> views) {
    /** Removes tables whose changes another session records. */
    void leave(Set<String> names) {
        now.removeIf(form -> names.contains(form.table()));
        gone.removeIf(form -> names.contains(form.table()));
        List.of(same, tables, views).forEach(all -> all.removeAll(names));
    }
}

package io.multimed.engine.mysql.master;

import io.multimed.engine.mysql.schema.TableForm;
import java.util.List;
import java.util.Set;

/**
 * What satellites will be told.
 *
 * @param now tables that they get with all rows
 * @param gone tables that they lose
 * @param same tables that keep their rows
 * @param tables names of all tables, also of those of which there is nothing to tell
 */
record SchemaNews(List<TableForm> now, List<TableForm> gone, Set<String> same, Set<String> tables, Set<String> views) {
    /** Leaves these to others. */
    void leave(Set<String> names) {
        now.removeIf(form -> names.contains(form.table()));
        gone.removeIf(form -> names.contains(form.table()));
        List.of(same, tables, views).forEach(all -> all.removeAll(names));
    }
}

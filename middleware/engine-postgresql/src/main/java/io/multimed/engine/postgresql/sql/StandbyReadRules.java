// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.Token;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The rules for satellites that are standbys (architecture 4.11). A standby has the master's catalog, with the same
 * object identifiers, and the same storage of rows, and is read as the same user. It therefore answers for the catalog
 * and for the session, but not for the state of the server: statistics, locks, settings and files.
 */
public final class StandbyReadRules extends PostgresReadRules {
    /**
     * The tables of the catalog, and the views of them that depend on nothing else, without the prefix pg_. Others with
     * this prefix, and those that later versions add, are the master's.
     */
    private static final Set<String> REPLICATED = Set.of("""
            aggregate am amop amproc attrdef attribute auth_members authid cast class collation constraint conversion database db_role_setting default_acl
            depend description enum event_trigger extension foreign_data_wrapper foreign_server foreign_table index inherits init_privs language namespace
            opclass operator opfamily partitioned_table policy proc publication publication_namespace publication_rel range rewrite seclabel sequence shdepend
            shdescription shseclabel statistic statistic_ext statistic_ext_data tablespace transform trigger ts_config ts_config_map ts_dict ts_parser
            ts_template type user_mapping
            group indexes matviews policies publication_tables roles rules seclabels shadow stats stats_ext stats_ext_exprs tables user user_mappings views
            """.trim().split("\\s+"));

    /** The user as the server has authenticated the session: servers may do so in different ways. */
    private static final Set<String> OF_SERVER = Set.of("SYSTEM_USER");

    /** Other system columns are the same: ctid, xmin and tableoid. Those of a deletion may not be replayed yet. */
    private static final Set<String> OF_DELETION = Set.of("XMAX", "CMIN", "CMAX");

    /** The function that counts the transactions of the server since a number. */
    private static final String AGE = "AGE";

    private static final String NUMBER = "XMIN";

    private static final Words WORDS = wordsOfStandbys(new PostgresReadRules().words());

    private static Words wordsOfStandbys(Words all) {
        return new Words(all.impure(), OF_SERVER, OF_DELETION, all.language(), all.harmlessFunctions());
    }

    StandbyReadRules() {}

    /** Returns the tables and views of the catalog that a standby has as its master. */
    public static List<String> replicatedTables() {
        return REPLICATED.stream().map(table -> "pg_" + table).toList();
    }

    @Override
    public Words words() {
        return WORDS;
    }

    @Override
    boolean isOfMaster(String name) {
        return isOfServer(name);
    }

    /** Returns whether a name that is not that of a function belongs to the server, in any case of letters. */
    static boolean isOfServer(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.startsWith("pg_") && !lower.equals("pg_catalog") && !REPLICATED.contains(lower.substring(3));
    }

    /** Tables of the catalog have columns of other names, too. */
    private static boolean mayBeNumberOfTransaction(String name) {
        return name.endsWith("XID") || name.equals(NUMBER) || name.startsWith(OWN_PREFIX);
    }

    /** Numbers of objects are the same; those of transactions are, but not their distance to the present one. */
    @Override
    public boolean asksForNumbers(List<Token> tokens) {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < tokens.size(); i++) {
            String name = nameAt(tokens, i);
            if (name.replaceFirst("^_", "").equals("XID") && isTypeAt(tokens, i)) {
                return true;
            }
            names.add(name);
        }
        return names.contains(AGE) && names.stream().anyMatch(StandbyReadRules::mayBeNumberOfTransaction);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.util.List;
import java.util.Set;

/**
 * The part of the database on which the result of a pure read depends, as far as its text shows: a change of anything
 * else leaves the result as it is. The footprint may include too much, and never too little.
 *
 * @param names all names in the text, as in {@link TableNames#in}: every table and column that is read is among them,
 *     except as said by {@code wholeRows}
 * @param free the names that are not behind the name of a reference and a dot: any reference may have such a column
 * @param qualified the names behind a dot and the name of a table; one that is not a column may be a function of
 *     a whole row
 * @param wholeRows whether columns may be read whose names are not in the text, as by {@code SELECT *}
 * @param references the tables in the FROM clause; empty if the text has several queries, of which each may read any
 *     table that it names
 * @param unqualified conditions on a column whose table is not named
 */
public record ReadFootprint(
        Set<String> names,
        Set<String> free,
        Set<Qualified> qualified,
        boolean wholeRows,
        List<Reference> references,
        List<Equality> unqualified) {
    /**
     * A name behind a qualifier.
     *
     * @param tables the tables that have the name of the qualifier anywhere in the text, or have it as an alias
     */
    public record Qualified(Set<String> tables, String name) {}

    /**
     * A table in the FROM clause.
     *
     * @param table its name in lower case, without its schema
     * @param qualified the names behind the name of this reference and a dot
     * @param equalities conditions that every row meets which contributes to the result
     */
    public record Reference(String table, Set<String> qualified, List<Equality> equalities) {}

    /**
     * The condition that a column equals a value.
     *
     * @param column its name in lower case
     */
    public record Equality(String column, Operand operand) {}

    /** A value that is the same for all rows. */
    public sealed interface Operand {
        /** A parameter; {@code index} counts from 0. */
        record Parameter(int index) implements Operand {}

        /** An integer in the text. */
        record IntegerLiteral(String digits) implements Operand {}

        /** A string in the text, without quotes and escapes in it. */
        record StringLiteral(String content) implements Operand {}
    }
}

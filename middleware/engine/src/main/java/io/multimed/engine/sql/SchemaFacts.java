// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.util.Set;

/**
 * The facts in the master's catalog that determine whether a query is a pure read. All names are in lower case, without
 * schemas.
 *
 * @param functions the functions, and which of them are pure
 * @param checkedTypes types to which only the master can cast, because satellites lack their constraints
 * @param hasUserFunctions whether users' functions exist, which a statement may run without naming them: by views,
 * operators, casts, policies. Their declared volatility may be wrong
 * @param hasSettingFunctions whether some of these may change the engine's session
 * @param hasErrorHandlers whether some code of users or extensions may handle errors. Inside a commit group, such code
 * could catch the error of a time limit that statements have nowhere else
 * @param shareableTables tables, as {@code table} or {@code schema.table}, whose changes run only the engine's own
 * code: no triggers, rules, policies or functions of users, no functions that change the session or run SQL, and no
 * deferrable constraints. Only these may be changed in a transaction that several clients share
 * @param mastersOperators the names of operators that satellites lack although they have others with the same names:
 * a query that contains such a name runs on the master. The empty name, which each query contains, stands for operators
 * and casts that queries run without naming them
 * @param deferringTables the names of tables and views whose changes may leave work for the commit; the empty name
 * stands for all
 * @param hiddenState objects whose use may leave state in the engine's session
 */
public record SchemaFacts(
        FunctionNames functions,
        Set<String> checkedTypes,
        boolean hasUserFunctions,
        boolean hasSettingFunctions,
        boolean hasErrorHandlers,
        Set<String> shareableTables,
        Set<String> mastersOperators,
        Set<String> deferringTables,
        HiddenState hiddenState) {
    /** No function is pure. */
    public static final SchemaFacts UNKNOWN = new SchemaFacts(
            FunctionNames.pure(Set.of()), Set.of(), true, true, true, Set.of(), Set.of(), Set.of(""), HiddenState.NONE);

    /** Facts of a schema without shareable tables and without operators that satellites lack. */
    public SchemaFacts(
            Set<String> pureFunctions,
            Set<String> checkedTypes,
            boolean hasUserFunctions,
            boolean hasSettingFunctions) {
        this(
                FunctionNames.pure(pureFunctions),
                checkedTypes,
                hasUserFunctions,
                hasSettingFunctions,
                false,
                Set.of(),
                Set.of(),
                Set.of(),
                HiddenState.NONE);
    }

    /** Returns whether these facts differ from others in nothing but the sets of tables. */
    public boolean differsInTablesOnly(SchemaFacts other) {
        return equals(new SchemaFacts(
                other.functions,
                other.checkedTypes,
                other.hasUserFunctions,
                other.hasSettingFunctions,
                other.hasErrorHandlers,
                shareableTables,
                other.mastersOperators,
                deferringTables,
                other.hiddenState));
    }
}

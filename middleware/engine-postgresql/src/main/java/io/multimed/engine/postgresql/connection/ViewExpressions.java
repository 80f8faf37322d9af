// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

/** Conditions in SQL on the definitions of views, which the catalog contains as trees of expressions. */
public final class ViewExpressions {
    /** A regular expression for the nodes of a tree whose values may depend on settings, the time or the user. */
    public static final String MUTABLE_NODES =
            "\\{(SQLVALUEFUNCTION|COERCEVIAIO|NEXTVALUEEXPR|XMLEXPR|JSONEXPR|ROWCOMPARE|TABLESAMPLECLAUSE|TABLEFUNC|JSONCONSTRUCTOREXPR)";

    /** A regular expression for the functions that a tree calls. */
    public static final String FUNCTIONS = ":(?:funcid|opfuncid|aggfnoid|winfnoid) (\\d+)";

    /** A regular expression for the operators of a tree. */
    public static final String OPERATORS = ":opno (\\d+)";

    private ViewExpressions() {}
}

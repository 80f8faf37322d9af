package io.multimed.middleware.node.engine.sql;

import java.util.Set;

/**
 * What the master's catalogue says that decides whether a query is a pure read. All names in lower case, without their schemas.
 *
 * @param pureFunctions functions that give the same answer on every node: stable or immutable in all forms, and not about the engine itself (its sessions, files, settings)
 * @param checkedTypes types to which only the master casts as the schema wants it, because satellites have them without their constraints
 * @param hasUserFunctions whether there are functions of users at all, which a statement may run without naming them: by views, operators, casts, policies. What they do is theirs to say, and may be untrue
 * @param hasSettingFunctions whether some of these may change the engine's session
 */
public record SchemaFacts(
        Set<String> pureFunctions, Set<String> checkedTypes, boolean hasUserFunctions, boolean hasSettingFunctions) {
    /** No function is pure. */
    public static final SchemaFacts UNKNOWN = new SchemaFacts(Set.of(), Set.of(), true, true);
}

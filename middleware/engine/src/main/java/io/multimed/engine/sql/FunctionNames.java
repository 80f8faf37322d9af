// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The names of functions in the master's catalog, in lower case, without schemas.
 *
 * @param pure functions that return the same result on every node: stable or immutable in all overloads, and
 *     independent of the engine itself (its sessions, files, settings)
 * @param impure all other functions, as far as a word of the language may call one of them
 * @param attributes those of the impure functions that a name behind a dot may call, as {@code (t.a).f} for {@code
 *     f(t.a)}; empty on engines without this notation
 * @param users names of functions of users that differ from, or may be chosen instead of, the engine's own functions
 *     and words of the language with the same names: a fact about these does not hold for such a name
 */
public record FunctionNames(Set<String> pure, Set<String> impure, Set<String> attributes, Set<String> users) {
    /** Returns functions of an engine whose words and columns never call a function. */
    public static FunctionNames pure(Set<String> names) {
        return new FunctionNames(names, Set.of(), Set.of(), Set.of());
    }

    /** Returns the same names, of which those that meet a condition are not pure. */
    public FunctionNames without(Predicate<String> condition) {
        Set<String> kept = new HashSet<>(pure);
        kept.removeIf(condition);
        return new FunctionNames(Set.copyOf(kept), impure, attributes, users);
    }

    /** Returns the same names, with users' functions in the sense of {@link #users}. */
    public FunctionNames withUsers(Set<String> names) {
        return new FunctionNames(pure, impure, attributes, names);
    }
}

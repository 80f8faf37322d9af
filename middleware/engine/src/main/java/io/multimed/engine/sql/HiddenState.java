// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.sql;

import io.multimed.engine.sql.Classification.Kind;
import io.multimed.engine.sql.Classification.Review;
import io.multimed.engine.sql.Classification.Trait;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The objects of a database whose use may leave state in the engine's session although the text of a statement does
 * not show the state: the session is examined after each statement that names one of them. For each name, in lower case
 * and without a schema, the settings in the sense of {@link Classification#settings}. Other objects do not leave state,
 * but ask the session for the client's last generated key. Immutable.
 *
 * @param used views, routines and types, which any statement may use
 * @param changed tables with such triggers, defaults or checks, which only changes of rows run
 * @param asking those of the first kind that ask for the last generated key
 * @param askingIfChanged those of the second kind
 * @param ofMaster the names of objects whose use may give another result on a satellite that has them: a query that
 * uses one runs on the master
 */
public record HiddenState(
        Map<String, Set<String>> used,
        Map<String, Set<String>> changed,
        Set<String> asking,
        Set<String> askingIfChanged,
        Set<String> ofMaster) {
    public static final HiddenState NONE = new HiddenState(Map.of(), Map.of(), Set.of(), Set.of(), Set.of());

    public HiddenState {
        used = Map.copyOf(used);
        changed = Map.copyOf(changed);
        asking = Set.copyOf(asking);
        askingIfChanged = Set.copyOf(askingIfChanged);
        ofMaster = Set.copyOf(ofMaster);
    }

    /** Determines which statements run the code of an object, and which objects' code the object runs. */
    public enum Use {
        /** A view: any statement runs it; it runs only what any statement runs. */
        READ,
        /** A routine: any statement runs it; it may also change the rows of tables. */
        ANY,
        /** A part of a table: only changes of rows run it. */
        CHANGE
    }

    /**
     * A view, a routine, a type, or a part of a table, such as a trigger.
     *
     * @param name that of the table for its parts; the empty name, which each statement contains, for code that a
     *     statement may run without a name
     * @param names all names in its text
     * @param leavesState whether its text shows that it may leave state
     * @param settings the settings that its text shows
     * @param asksLastKey whether its text shows that it asks for the last generated key
     */
    public record Definition(
            String name, Use use, Set<String> names, boolean leavesState, Set<String> settings, boolean asksLastKey) {
        /** An object that does not ask for the key. */
        public Definition(String name, Use use, Set<String> names, boolean leavesState, Set<String> settings) {
            this(name, use, names, leavesState, settings, false);
        }
    }

    /** Returns the objects that may do so themselves, or by the objects that their texts name. */
    public static HiddenState of(List<Definition> definitions) {
        HiddenState leaving = reaching(definitions, Definition::leavesState);
        HiddenState asking = reaching(definitions, Definition::asksLastKey);
        return new HiddenState(leaving.used, leaving.changed, asking.used.keySet(), asking.changed.keySet(), Set.of());
    }

    /** Returns the same objects, with the names of those that only the master uses. */
    public HiddenState withMasters(Set<String> names) {
        return new HiddenState(used, changed, asking, askingIfChanged, names);
    }

    /** Returns the objects with a property, and those that use them. */
    private static HiddenState reaching(List<Definition> definitions, Predicate<Definition> property) {
        Map<String, Set<String>> used = new HashMap<>();
        Map<String, Set<String>> changed = new HashMap<>();
        int before;
        do {
            before = size(used) + size(changed);
            for (Definition each : definitions) {
                Set<String> settings = new HashSet<>(each.settings);
                boolean uses = collect(each.names, used, settings);
                boolean changes = each.use != Use.READ && collect(each.names, changed, settings);
                if (uses || changes || property.test(each)) {
                    (each.use == Use.CHANGE ? changed : used)
                            .computeIfAbsent(each.name, unused -> new HashSet<>())
                            .addAll(settings);
                }
            }
        } while (size(used) + size(changed) > before);
        return new HiddenState(used, changed, Set.of(), Set.of(), Set.of());
    }

    private static int size(Map<String, Set<String>> objects) {
        return objects.size() + objects.values().stream().mapToInt(Set::size).sum();
    }

    /** Adds the settings of the named objects; returns whether there are any such objects. */
    private static boolean collect(Set<String> names, Map<String, Set<String>> objects, Set<String> settings) {
        boolean any = false;
        for (Map.Entry<String, Set<String>> each : objects.entrySet()) {
            if (names.contains(each.getKey())) {
                settings.addAll(each.getValue());
                any = true;
            }
        }
        return any;
    }

    /** Returns whether no object is known to leave state, to ask for the key, or to be the master's. */
    public boolean isEmpty() {
        return used.isEmpty()
                && changed.isEmpty()
                && asking.isEmpty()
                && askingIfChanged.isEmpty()
                && ofMaster.isEmpty();
    }

    /**
     * Returns the classification of a statement: one by which the session is examined, or which asks for the key, if
     * the statement names such an object and its kind can run the code of the object. A read is then no longer one,
     * because its result or its effect belongs to the session of the client.
     *
     * @param names all names in the statement, in lower case
     */
    public Classification examined(Classification classification, Set<String> names) {
        boolean reads = classification.changesNothing() || classification.kind() == Kind.EFFECT;
        boolean asks =
                !Collections.disjoint(names, asking) || (!reads && !Collections.disjoint(names, askingIfChanged));
        Set<String> settings = new HashSet<>(classification.settings());
        boolean uses = collect(names, used, settings);
        boolean changes = !reads && collect(names, changed, settings);
        boolean leaves = uses || changes;
        if (!leaves && !asks) {
            return classification.changesNothing() && !Collections.disjoint(names, ofMaster)
                    ? Classification.of(Kind.EFFECT, Review.NEVER)
                            .because("an object whose result belongs to the master")
                    : classification;
        }
        Classification effect = classification.changesNothing()
                ? Classification.of(Kind.EFFECT).because("state of the session")
                : classification;
        Classification reviewed = leaves ? effect.with(Review.ALWAYS).withSettings(settings) : effect;
        return asks ? reviewed.with(Trait.ASKS_LAST_KEY) : reviewed;
    }
}

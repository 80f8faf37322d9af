// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.rights;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/**
 * The queries for which the master's engine has found that a role has all privileges, and the version of the rights for
 * which that holds. Bounded by the number of characters. Thread-safe.
 */
final class CheckedTexts {
    private static final long MAX_CHARACTERS = 16 << 20;

    private static final int CHARACTERS_PER_ENTRY = 100;

    private record Query(String role, String text) {}

    private final Cache<Query, Long> versions = Caffeine.newBuilder()
            .maximumWeight(MAX_CHARACTERS)
            .weigher((Query query, Long version) -> query.text.length() + CHARACTERS_PER_ENTRY)
            .build();

    /** Returns whether the role has all privileges for the query at this version of the rights. */
    boolean contains(String role, String text, long version) {
        Long checked = versions.getIfPresent(new Query(role, text));
        return checked != null && checked == version;
    }

    /** @param version of the rights before the check began */
    void add(String role, String text, long version) {
        versions.put(new Query(role, text), version);
    }
}

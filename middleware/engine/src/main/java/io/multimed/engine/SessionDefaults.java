// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine;

import java.util.Map;

/**
 * The settings with which clients' sessions on the master begin.
 *
 * @param values the settings on which answers depend, and that satellites do not receive in another way, by name
 * @param fingerprint a text that changes with every setting that sessions of the master's user may begin with
 * @param ofRoles a text that changes with every setting that only sessions of other roles may begin with
 */
public record SessionDefaults(Map<String, String> values, String fingerprint, String ofRoles) {
    /** No settings: sessions begin with those of the engine. */
    public static final SessionDefaults NONE = new SessionDefaults(Map.of(), "", "");

    public SessionDefaults {
        values = Map.copyOf(values);
    }

    /** Returns whether sessions of the master's user begin as they do with other settings. */
    public boolean beginsAlike(SessionDefaults other) {
        return values.equals(other.values) && fingerprint.equals(other.fingerprint);
    }
}

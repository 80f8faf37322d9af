// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.listen;

import java.util.OptionalInt;

/**
 * Limits of one user. A limit that is empty is the one of all users; 0 means that there is no limit.
 *
 * @param clients maximum number of connected clients
 * @param statements maximum number of statements that run at the same time
 */
public record UserLimits(OptionalInt clients, OptionalInt statements) {
    /** The largest limit that can be written. */
    public static final int MAX = 1_000_000;

    /** No limit of its own. */
    public static final UserLimits NONE = new UserLimits(OptionalInt.empty(), OptionalInt.empty());

    /** Returns the same with the limits of {@code all} in place of those that are empty. */
    public UserLimits or(UserLimits all) {
        return new UserLimits(
                clients.isPresent() ? clients : all.clients, statements.isPresent() ? statements : all.statements);
    }
}

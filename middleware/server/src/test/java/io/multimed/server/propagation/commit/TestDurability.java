// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import java.util.List;

/** A disk that has all commits as soon as they return. */
interface TestDurability extends Durability {
    @Override
    default void makeDurable(List<CommitGroup> groups) {}

    @Override
    default boolean isDurable(CommitGroup group) {
        return true;
    }

    @Override
    default void durableAlready(CommitGroup group) {}
}

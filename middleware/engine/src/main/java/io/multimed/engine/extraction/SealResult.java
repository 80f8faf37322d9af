// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.extraction;

import io.multimed.engine.writeset.WriteSet;
import java.util.Optional;

/**
 * The result of a seal and its COMMIT.
 *
 * @param writeSet empty if the transaction changed nothing
 * @param durable whether the commit has waited for the disk
 */
public record SealResult(Optional<WriteSet> writeSet, boolean durable) {}

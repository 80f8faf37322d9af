// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.value;

/**
 * A NULL parameter with a type.
 *
 * @param typeName the engine's name of the type
 */
public record TypedNull(String typeName) {}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.value;

/**
 * A value of a type without a Java class, for example json, inet, a range or an enum.
 *
 * @param typeName the engine's name of the type
 * @param text the value in the engine's text format
 */
public record OtherValue(String typeName, String text) {
    @Override
    public String toString() {
        return text;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.value;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An SQL array.
 *
 * @param elementType the engine's name of the element type
 * @param sqlType type of the elements, a constant of java.sql.Types
 * @param elements values of the classes of {@link ValueCodec}, including arrays of the same type
 * @param text the engine's text of an array of a result, which also shows the bounds of the dimensions; null for an
 *     array that an application has created, and for a part of an array
 */
public record ArrayValue(
        String elementType,
        int sqlType,
        List<@Nullable Object> elements,
        @Nullable String text) {
    /** Creates an array without a text. */
    public ArrayValue(String elementType, int sqlType, List<@Nullable Object> elements) {
        this(elementType, sqlType, elements, null);
    }
}

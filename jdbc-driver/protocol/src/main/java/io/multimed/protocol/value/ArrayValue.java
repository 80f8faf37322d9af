package io.multimed.protocol.value;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An SQL array.
 *
 * @param elementType the engine's name of the element type
 * @param sqlType type of the elements, a constant of java.sql.Types
 * @param elements values of the classes of {@link ValueCodec}, including arrays of the same type
 */
public record ArrayValue(String elementType, int sqlType, List<@Nullable Object> elements) {}

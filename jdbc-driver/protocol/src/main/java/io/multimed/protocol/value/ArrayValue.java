package io.multimed.protocol.value;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An SQL array.
 *
 * @param elementType the engine's name
 * @param sqlType of the elements, a constant of java.sql.Types
 * @param elements of the classes of {@link ValueCodec}, arrays of the same type among them
 */
public record ArrayValue(String elementType, int sqlType, List<@Nullable Object> elements) {}

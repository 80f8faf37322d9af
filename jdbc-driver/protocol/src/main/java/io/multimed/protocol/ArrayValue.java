package io.multimed.protocol;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** An SQL array: the engine's name of its element type, and elements of the classes of {@link ValueCodec}, arrays among them. */
public record ArrayValue(String elementType, List<@Nullable Object> elements) {}

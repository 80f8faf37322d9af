package io.multimed.protocol;

/** A parameter that is NULL, of a type that the application names as the engine does. */
public record TypedNull(String typeName) {}

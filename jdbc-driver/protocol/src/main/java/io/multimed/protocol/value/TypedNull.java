package io.multimed.protocol.value;

/** A NULL parameter with the engine's name of its type. */
public record TypedNull(String typeName) {}

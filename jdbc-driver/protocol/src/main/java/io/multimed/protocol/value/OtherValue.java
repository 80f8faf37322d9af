package io.multimed.protocol.value;

/** A value of a type that Java has no class for (json, inet, a range, an enum): its type's name and its text, both in the engine's own form. */
public record OtherValue(String typeName, String text) {
    @Override
    public String toString() {
        return text;
    }
}

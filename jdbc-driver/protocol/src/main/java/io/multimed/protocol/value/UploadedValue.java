package io.multimed.protocol.value;

/**
 * In place of a large parameter: its bytes were sent by {@link io.multimed.protocol.Upload}.
 *
 * @param value the client's number for the value
 * @param text whether the bytes are a text in UTF-8
 */
public record UploadedValue(int value, boolean text) {}

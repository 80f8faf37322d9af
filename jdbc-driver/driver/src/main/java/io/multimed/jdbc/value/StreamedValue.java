package io.multimed.jdbc.value;

import java.io.InputStream;

/**
 * A large parameter whose stream is read when the statement runs.
 *
 * @param length in bytes; -1 for all bytes of the stream
 * @param text whether the bytes are a text in UTF-8
 */
public record StreamedValue(InputStream stream, long length, boolean text) {}

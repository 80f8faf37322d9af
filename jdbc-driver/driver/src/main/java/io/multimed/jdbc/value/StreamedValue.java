// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import java.io.InputStream;

/**
 * A large parameter whose stream is read when the statement runs.
 *
 * @param length maximum number of bytes; -1 for all bytes of the stream
 * @param exact whether a stream that ends before this length is an error
 * @param text whether the bytes are a text in UTF-8
 */
public record StreamedValue(InputStream stream, long length, boolean exact, boolean text) {}

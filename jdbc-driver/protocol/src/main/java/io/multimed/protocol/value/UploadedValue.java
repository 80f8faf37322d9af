// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.value;

/**
 * Placeholder for a large parameter, whose bytes were sent by {@link io.multimed.protocol.request.Upload}.
 *
 * @param value the client's number for the value
 * @param text whether the bytes are text in UTF-8
 */
public record UploadedValue(int value, boolean text) {}

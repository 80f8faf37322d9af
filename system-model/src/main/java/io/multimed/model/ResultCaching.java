// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import io.multimed.model.value.ByteSize;

/**
 * The cache of results in the middleware (architecture 4.8).
 *
 * @param size maximum size of all kept results; 0 if no results are kept
 */
public record ResultCaching(ByteSize size) {
    public static final ResultCaching OFF = new ResultCaching(new ByteSize(0));
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Tests of satellites on other machines: links that delay, stall, break and separate, and network namespaces. */
@NullMarked
package io.multimed.deploy.remote;

import org.jspecify.annotations.NullMarked;

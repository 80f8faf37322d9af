// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Emulated browsers: navigation, think times, and retries. */
@NullMarked
package io.multimed.tpcw.browser;

import org.jspecify.annotations.NullMarked;

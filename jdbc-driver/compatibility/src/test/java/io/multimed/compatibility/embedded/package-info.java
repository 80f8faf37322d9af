// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Tests of the dispatcher within the application. */
@NullMarked
package io.multimed.compatibility.embedded;

import org.jspecify.annotations.NullMarked;

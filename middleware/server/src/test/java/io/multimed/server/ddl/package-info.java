// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Schema changes while clients work. */
@NullMarked
package io.multimed.server.ddl;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Values, streaming results, large parameters and catalog metadata as clients receive them. */
@NullMarked
package io.multimed.engine.mysql.result;

import org.jspecify.annotations.NullMarked;

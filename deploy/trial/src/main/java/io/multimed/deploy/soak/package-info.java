// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Soak test: a temporary cluster under load with random faults, checked at the end. */
@NullMarked
package io.multimed.deploy.soak;

import org.jspecify.annotations.NullMarked;

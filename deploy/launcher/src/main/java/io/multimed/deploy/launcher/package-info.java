// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Starts and stops database engines on their cores. Knows processes and folders, but not the middleware. */
@NullMarked
package io.multimed.deploy.launcher;

import org.jspecify.annotations.NullMarked;

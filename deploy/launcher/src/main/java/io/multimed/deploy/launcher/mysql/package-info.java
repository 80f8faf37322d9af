// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** MySQL servers, from an installation. */
@NullMarked
package io.multimed.deploy.launcher.mysql;

import org.jspecify.annotations.NullMarked;

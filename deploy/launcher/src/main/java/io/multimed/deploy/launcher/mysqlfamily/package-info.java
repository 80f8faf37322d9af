// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Common parts of the launchers for MariaDB and MySQL. */
@NullMarked
package io.multimed.deploy.launcher.mysqlfamily;

import org.jspecify.annotations.NullMarked;

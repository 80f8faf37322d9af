// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** MariaDB servers, from the embedded binaries or an installation. */
@NullMarked
package io.multimed.deploy.launcher.mariadb;

import org.jspecify.annotations.NullMarked;

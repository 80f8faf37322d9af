// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** Figures of MariaDB. */
@NullMarked
package io.multimed.deploy.evaluation.mariadb;

import org.jspecify.annotations.NullMarked;

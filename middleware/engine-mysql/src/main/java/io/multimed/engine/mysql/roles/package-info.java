// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The roles of users: how the middleware connects as their accounts, and what satellites may read for them. */
@NullMarked
package io.multimed.engine.mysql.roles;

import org.jspecify.annotations.NullMarked;

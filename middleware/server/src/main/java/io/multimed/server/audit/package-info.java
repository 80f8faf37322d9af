// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** The audit log: who logged in, who changed the running system, and how. Knows no other part of the server. */
@NullMarked
package io.multimed.server.audit;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** HTTP ports for operators: bounded threads, connections and requests, and never the threads that serve clients. */
@NullMarked
package io.multimed.server.http;

import org.jspecify.annotations.NullMarked;

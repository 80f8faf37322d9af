// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import io.multimed.protocol.session.EngineIdentity;
import java.util.List;
import java.util.function.Supplier;

/**
 * Properties of the server that a client receives after its login.
 *
 * @param traces whether statements are traced, so that clients send the operation to which they belong
 * @param nodes returns the names of all present and former nodes; the index is a node's ordinal
 */
public record ServerIdentity(String database, EngineIdentity engine, boolean traces, Supplier<List<String>> nodes) {}

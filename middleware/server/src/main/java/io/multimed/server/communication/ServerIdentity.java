package io.multimed.server.communication;

import io.multimed.protocol.session.EngineIdentity;
import java.util.List;
import java.util.function.Supplier;

/**
 * Properties of the server that a client receives after its login.
 *
 * @param nodes returns the names of all present and former nodes; the index is a node's ordinal
 */
public record ServerIdentity(String database, EngineIdentity engine, Supplier<List<String>> nodes) {}

package io.multimed.server.communication;

import io.multimed.protocol.session.EngineIdentity;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a client is told when it is welcome.
 *
 * @param nodes the names of all nodes that there are or were, by their ordinals
 */
public record ServerIdentity(String database, EngineIdentity engine, Supplier<List<String>> nodes) {}

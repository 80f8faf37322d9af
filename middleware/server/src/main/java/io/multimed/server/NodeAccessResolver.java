package io.multimed.server;

import io.multimed.engine.pool.NodeAccess;
import io.multimed.model.NodeSpec;

/** Knows how the engine of a node is reached, once it runs. The launcher provides it. */
@FunctionalInterface
public interface NodeAccessResolver {
    NodeAccess access(NodeSpec node);
}

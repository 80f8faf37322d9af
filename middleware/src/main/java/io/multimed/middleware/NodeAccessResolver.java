package io.multimed.middleware;

import io.multimed.middleware.node.engine.NodeAccess;
import io.multimed.model.Node;

/** Knows how the engine of a node is reached, once it runs. The launcher provides it. */
@FunctionalInterface
public interface NodeAccessResolver {
    NodeAccess access(Node node);
}

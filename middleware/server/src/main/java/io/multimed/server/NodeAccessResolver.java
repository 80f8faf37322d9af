// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server;

import io.multimed.engine.pool.NodeAccess;
import io.multimed.model.NodeSpec;

/**
 * Provides the address and credentials of a node's running engine. Implemented by the component that starts engines.
 */
@FunctionalInterface
public interface NodeAccessResolver {
    NodeAccess access(NodeSpec node);
}

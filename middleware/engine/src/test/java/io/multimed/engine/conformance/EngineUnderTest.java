// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import io.multimed.engine.Engine;
import io.multimed.engine.pool.NodeAccess;

/** Two servers of one engine, each with an empty database, for the conformance kit. Closing stops the servers. */
public interface EngineUnderTest extends AutoCloseable {
    /** Returns the engine's implementation. */
    Engine engine();

    /** Returns the address of the future master, with a user that has the rights of a master's user. */
    NodeAccess master();

    /** Returns the address of the server that becomes the satellite, with a user that may do everything there. */
    NodeAccess satellite();

    @Override
    void close();
}

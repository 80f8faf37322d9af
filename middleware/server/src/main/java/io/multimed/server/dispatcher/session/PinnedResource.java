// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.session;

/** The resources that an idle client withholds from other clients. */
public enum PinnedResource {
    NOTHING,
    /** A connection, because the engine's session holds state of the client. */
    SESSION_STATE,
    /** A connection and the locks of its open transaction. */
    TRANSACTION,
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node.login;

/** A client that has logged in as a role of the master. The middleware forgets the password with the last of them. */
public interface RoleLogin extends AutoCloseable {
    /** Ends the login; does not block. Called once. */
    @Override
    void close();
}

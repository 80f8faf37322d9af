// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.pool;

/** A source of connections whose password may change while it is in use. */
public interface PasswordChange {
    /** Uses another password for the connections that are opened from now on. */
    void setPassword(String password);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

/**
 * Chooses how the clients of tests reach the dispatcher: with {@code -Dmultimed.test.transport=embedded}, within their
 * own process. A second run of a test with it shows that clients notice no difference.
 */
public final class TestTransport {
    private static final boolean EMBEDDED = "embedded".equals(System.getProperty("multimed.test.transport"));

    private TestTransport() {}

    /** Returns whether clients call the dispatcher, in place of a socket. */
    public static boolean isEmbedded() {
        return EMBEDDED;
    }
}

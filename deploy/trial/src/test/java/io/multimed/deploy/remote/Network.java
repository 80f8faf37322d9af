// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.remote;

import java.io.IOException;

/** The network between the middleware and a satellite. */
interface Network extends AutoCloseable {
    /** Delays all data by 5 ms in each direction, and lets data arrive late as if packets were lost. */
    void disturb() throws IOException;

    /** Drops everything from now on, without a word to either side. */
    void partition() throws IOException;

    /** Ends a partition: what was not given up meanwhile arrives now. Delays and losses remain. */
    void heal() throws IOException;

    /** Breaks all present connections, so that both sides notice. */
    void reset() throws IOException;

    @Override
    void close() throws IOException;
}

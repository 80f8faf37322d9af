// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.replication;

/**
 * The work of a satellite's applier since the start.
 *
 * @param queuedBytes size of the published WriteSets that wait for the applier now
 * @param writeSets number of WriteSets that were applied
 * @param transactions number of transactions in which they were applied
 * @param nanos time that these transactions took
 */
public record ApplierStatus(long queuedBytes, long writeSets, long transactions, long nanos) {
    /** The status of a node without an applier. */
    public static final ApplierStatus NONE = new ApplierStatus(0, 0, 0, 0);
}

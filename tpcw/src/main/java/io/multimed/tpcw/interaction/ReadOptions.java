// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

/**
 * What the interactions tell the database about their reads.
 *
 * @param bestSellersLag how far behind the list of best sellers may be, as in a hint: 30s; empty if it must be current
 * @param declared whether reads run in auto-commit mode or in read-only transactions; otherwise all interactions run in
 * read-write transactions, as in most applications
 */
public record ReadOptions(String bestSellersLag, boolean declared) {
    /** The list of best sellers is current, and interactions that only read declare it. */
    public static final ReadOptions DEFAULT = new ReadOptions("", true);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

/** Order Inquiry (TPC-W clause 2.8): the form that precedes Order Display, without access to the database. */
final class OrderInquiry implements Interaction {
    @Override
    public void perform(Statements shop, UserSession shopper) {
        // The form has no content from the database.
    }
}

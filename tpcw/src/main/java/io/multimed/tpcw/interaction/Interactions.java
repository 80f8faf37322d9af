// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.interaction;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** Maps each interaction type to its implementation. The implementations are stateless: all browsers share them. */
public final class Interactions {
    private static final Map<InteractionType, Interaction> BY_TYPE = new EnumMap<>(Map.ofEntries(
            Map.entry(InteractionType.ADMC, new AdminConfirm()),
            Map.entry(InteractionType.ADMR, new ItemPage()),
            Map.entry(InteractionType.BESS, new BestSellers()),
            Map.entry(InteractionType.BUYC, new BuyConfirm()),
            Map.entry(InteractionType.BUYR, new BuyRequest()),
            Map.entry(InteractionType.CREG, new CustomerRegistration()),
            Map.entry(InteractionType.HOME, new Home()),
            Map.entry(InteractionType.NEWP, new NewProducts()),
            Map.entry(InteractionType.ORDD, new OrderDisplay()),
            Map.entry(InteractionType.ORDI, new OrderInquiry()),
            Map.entry(InteractionType.PROD, new ItemPage()),
            Map.entry(InteractionType.SREQ, new SearchRequest()),
            Map.entry(InteractionType.SRES, new SearchResults()),
            Map.entry(InteractionType.SHOP, new ShoppingCart())));

    private Interactions() {}

    public static Interaction of(InteractionType type) {
        return Objects.requireNonNull(BY_TYPE.get(type));
    }
}

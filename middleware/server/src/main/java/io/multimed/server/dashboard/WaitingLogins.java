// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/** Counts the logins that wait for their check: a limited number in all, and from one address. Thread-safe. */
final class WaitingLogins {
    private final int most;
    private final int mostOfAddress;
    private final Map<InetAddress, Integer> ofAddresses = new HashMap<>();
    private int all;

    WaitingLogins(int most, int mostOfAddress) {
        this.most = most;
        this.mostOfAddress = mostOfAddress;
    }

    /** Returns whether a login may wait; {@link #leave} must follow then. */
    synchronized boolean enter(InetAddress address) {
        int own = ofAddresses.getOrDefault(address, 0);
        if (all >= most || own >= mostOfAddress) {
            return false;
        }
        all++;
        ofAddresses.put(address, own + 1);
        return true;
    }

    synchronized void leave(InetAddress address) {
        all--;
        ofAddresses.computeIfPresent(address, (key, own) -> own == 1 ? null : own - 1);
    }
}

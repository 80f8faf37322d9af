// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which logins are refused after failed ones, without a clock. */
class FailedLoginsTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);
    private static final InetAddress HERE = address(1);
    private static final InetAddress THERE = address(2);

    private final FailedLogins logins = new FailedLogins();

    private static InetAddress address(int last) {
        return address(new byte[] {10, 0, (byte) (last >> 8), (byte) last});
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the network of an IPv6 address. */
    private static InetAddress ipv6(int site, int subnet, int host) {
        byte[] bytes = new byte[16];
        bytes[0] = 0x20;
        bytes[4] = (byte) (site >> 8);
        bytes[5] = (byte) site;
        bytes[6] = (byte) (subnet >> 8);
        bytes[7] = (byte) subnet;
        bytes[15] = (byte) host;
        return FailedLogins.network(address(bytes));
    }

    private void fail(int times, InetAddress from, String user) {
        for (int i = 0; i < times; i++) {
            logins.failed(from, user, 0);
        }
    }

    private boolean mayTry(InetAddress from, String user, long now) {
        return logins.ask(from, user, now).mayBeChecked();
    }

    @Test
    void aFewFailuresHaveNoConsequences() {
        fail(4, HERE, "ann");
        assertThat(mayTry(HERE, "ann", 0)).isTrue();
    }

    @Test
    void furtherLoginsOfTheUserFromTheAddressAreRefused() {
        fail(5, HERE, "ann");
        FailedLogins.Verdict verdict = logins.ask(HERE, "ann", 0);
        assertThat(verdict.nanos()).isEqualTo(4 * SECOND);
        assertThat(verdict.first()).isTrue();
        assertThat(logins.ask(HERE, "ann", 0).first()).as("logged once").isFalse();
        assertThat(mayTry(HERE, "bob", 0)).isTrue();
        assertThat(mayTry(THERE, "ann", 0)).isTrue();
        assertThat(mayTry(HERE, "ann", 4 * SECOND)).isTrue();
    }

    /** A guesser tries all the time, over as many connections as it likes. */
    @Test
    void theNumberOfGuessesDependsOnTheTimeOnly() {
        assertThat(guesses(HERE, user -> "ann")).as("of one user's password").isBetween(900, 906);
        assertThat(guesses(THERE, user -> "user " + user))
                .as("of many users' passwords")
                .isBetween(3_600, 3_651);
    }

    private interface Choice {
        String user(int attempt);
    }

    /** Returns the number of passwords that are checked within an hour. */
    private int guesses(InetAddress from, Choice choice) {
        int checked = 0;
        int attempt = 0;
        for (long now = 0; now < HOUR; now += SECOND / 20) {
            String user = choice.user(attempt++);
            if (mayTry(from, user, now)) {
                checked++;
                logins.failed(from, user, now);
            }
        }
        return checked;
    }

    /** Checks that run at the same time may exceed the allowance once; the debt is paid later. */
    @Test
    void checksAtTheSameTimeDoNotAddUp() {
        fail(20, HERE, "ann");
        assertThat(mayTry(HERE, "ann", 63 * SECOND)).isFalse();
        assertThat(mayTry(HERE, "ann", 64 * SECOND)).isTrue();
    }

    @Test
    void anAddressThatTriesManyUsersIsRefused() {
        for (int i = 0; i < 50; i++) {
            logins.failed(HERE, "user " + i, 0);
        }
        assertThat(mayTry(HERE, "ann", 0)).isFalse();
        assertThat(mayTry(THERE, "ann", 0)).isTrue();
    }

    /** Many users share the address of a router, or of a proxy. */
    @Test
    void usersWhoHaveLoggedInFromTheAddressAreNotLockedOutByOthersThere() {
        logins.succeeded(HERE, "ann", 0);
        for (int i = 0; i < 100; i++) {
            logins.failed(HERE, "user " + i, 0);
        }
        assertThat(mayTry(HERE, "ann", 0)).isTrue();
        assertThat(mayTry(HERE, "bob", 0)).isFalse();
        fail(5, HERE, "ann");
        assertThat(mayTry(HERE, "ann", 0)).as("their own failures count").isFalse();
    }

    /** Otherwise a guesser would have more attempts beside a client that logs in regularly. */
    @Test
    void aSuccessRepaysNothing() {
        fail(5, HERE, "ann");
        logins.succeeded(HERE, "ann", 0);
        assertThat(mayTry(HERE, "ann", 0)).isFalse();
    }

    @Test
    void aCustomerWithManyIpv6NetworksIsOnePlace() {
        assertThat(ipv6(1, 1, 1)).isEqualTo(ipv6(1, 1, 2));
        for (int i = 0; i < 200; i++) {
            logins.failed(ipv6(1, i, 1), "ann", 0);
        }
        assertThat(mayTry(ipv6(1, 999, 1), "ann", 0)).isFalse();
        assertThat(mayTry(ipv6(2, 999, 1), "ann", 0)).as("another customer").isTrue();
    }

    @Test
    void theNumberOfEntriesIsBounded() {
        for (int i = 0; i < 30_000; i++) {
            logins.failed(address(i), "ann", 0);
        }
        assertThat(logins.size()).isEqualTo(20_000);
    }
}

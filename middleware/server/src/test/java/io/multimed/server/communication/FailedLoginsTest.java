package io.multimed.server.communication;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which logins wait after failed ones, without a clock. */
class FailedLoginsTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final InetAddress HERE = address(1);
    private static final InetAddress THERE = address(2);

    private final FailedLogins logins = new FailedLogins();

    private static InetAddress address(int last) {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, (byte) (last >> 8), (byte) last});
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private void fail(int times, InetAddress from, String user) {
        for (int i = 0; i < times; i++) {
            logins.failed(from, user, 0);
        }
    }

    @Test
    void aFewFailuresHaveNoConsequences() {
        fail(4, HERE, "ann");
        assertThat(logins.takeTurn(HERE, "ann", 0)).isZero();
    }

    @Test
    void furtherLoginsOfTheUserFromTheAddressWait() {
        fail(5, HERE, "ann");
        assertThat(logins.takeTurn(HERE, "ann", 0)).isPositive();
        assertThat(logins.takeTurn(HERE, "bob", 0)).isZero();
        assertThat(logins.takeTurn(THERE, "ann", 0)).isZero();
    }

    /** Otherwise many connections at the same time would not wait longer than one. */
    @Test
    void eachLoginWaitsForATurnOfItsOwn() {
        fail(9, HERE, "ann");
        long first = logins.takeTurn(HERE, "ann", 0);
        long second = logins.takeTurn(HERE, "ann", 0);
        assertThat(first).isEqualTo(4 * SECOND);
        assertThat(second).isEqualTo(8 * SECOND);
        assertThat(logins.takeTurn(HERE, "ann", 0))
                .as("within the time limit of a login")
                .isEqualTo(8 * SECOND);
    }

    @Test
    void anAddressThatTriesManyUsersWaits() {
        for (int i = 0; i < 50; i++) {
            logins.failed(HERE, "user " + i, 0);
        }
        assertThat(logins.takeTurn(HERE, "ann", 0)).isPositive();
        assertThat(logins.takeTurn(THERE, "ann", 0)).isZero();
    }

    @Test
    void failuresAreForgotten() {
        fail(100, HERE, "ann");
        assertThat(logins.takeTurn(HERE, "ann", 601 * SECOND)).isZero();
        logins.failed(HERE, "ann", 601 * SECOND);
        assertThat(logins.takeTurn(HERE, "ann", 601 * SECOND)).isZero();
    }

    @Test
    void theNumberOfEntriesIsBounded() {
        for (int i = 0; i < 30_000; i++) {
            logins.failed(address(i), "ann", 0);
        }
        assertThat(logins.size()).isEqualTo(20_000);
    }
}

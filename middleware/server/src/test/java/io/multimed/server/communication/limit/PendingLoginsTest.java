// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/** Tests which connection is displaced by a further one. */
class PendingLoginsTest {
    private final PendingLogins<String> pending = new PendingLogins<>(5, 2);

    private static InetAddress address(int last) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    }

    @Test
    void displacesTheOldestConnectionOfAnAddressThatHasTooMany() throws Exception {
        assertThat(pending.enter("other", address(2))).isNull();
        assertThat(pending.enter("a", address(1))).isNull();
        assertThat(pending.enter("b", address(1))).isNull();
        assertThat(pending.enter("c", address(1))).isEqualTo("a");
        pending.leave("b");
        assertThat(pending.enter("d", address(1))).isNull();
        assertThat(pending.enter("e", address(1))).isEqualTo("c");
        assertThat(pending.size()).isEqualTo(3);
    }

    @Test
    void displacesTheOldestConnectionOfAllIfThereAreTooMany() throws Exception {
        for (int i = 1; i <= 5; i++) {
            assertThat(pending.enter("from " + i, address(i))).isNull();
        }
        assertThat(pending.enter("from 6", address(6))).isEqualTo("from 1");
        assertThat(pending.enter("again 1", address(1))).isEqualTo("from 2");
        assertThat(pending.takeLate()).isEmpty();
        for (int i = 3; i <= 6; i++) {
            pending.leave("from " + i);
        }
        pending.leave("again 1");
        assertThat(pending.size()).isZero();
    }
}

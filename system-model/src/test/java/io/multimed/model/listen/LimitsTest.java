// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.multimed.model.ModelException;
import io.multimed.model.SystemModel;
import io.multimed.model.value.ByteSize;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** The limits of clients in the System Model. */
class LimitsTest {
    private static Listen listen(String text) throws ModelException {
        return SystemModel.parse("listen: {%s}\nnodes:\n- {name: m, role: master}\n".formatted(text), "m.yaml")
                .listen();
    }

    @Test
    void readsLimitsOfClientsUsersAndAddresses() throws ModelException {
        Listen listen = listen(
                "limits: {clients-per-user: 20, clients-per-address: 30, pending-logins: 40, pending-logins-per-address: 10, statements: 50, statements-per-user: 5, acquire-timeout: 3s, queued-per-client: 2m, memory: 64m}, users: [{name: u, password: p, max-clients: 0, max-statements: 7}, {name: v, password: p}]");
        assertThat(listen.limits())
                .isEqualTo(new Limits(
                        30,
                        40,
                        10,
                        50,
                        new UserLimits(OptionalInt.of(20), OptionalInt.of(5)),
                        Duration.ofSeconds(3),
                        ByteSize.megabytes(2),
                        Optional.of(ByteSize.megabytes(64))));
        UserLimits own = listen.users().get(0).limits();
        assertThat(own).isEqualTo(new UserLimits(OptionalInt.of(0), OptionalInt.of(7)));
        assertThat(own.or(listen.limits().perUser())).isEqualTo(own);
        assertThat(listen.users().get(1).limits().or(listen.limits().perUser()))
                .isEqualTo(listen.limits().perUser());
    }

    @Test
    void admitsAsManyLoginsAsClientsAndHalfOfThemFromOneAddress() throws ModelException {
        assertThat(listen("port: 1").limits()).isEqualTo(Limits.DEFAULT);
        assertThat(listen("max-clients: 5000").limits())
                .extracting(Limits::pendingLogins, Limits::pendingLoginsPerAddress)
                .containsExactly(5_000, 2_500);
        assertThat(listen("max-clients: 1, limits: {pending-logins: 1}").limits())
                .extracting(Limits::pendingLogins, Limits::pendingLoginsPerAddress)
                .containsExactly(1, 1);
        assertThat(listen("max-clients: 10").limits().pendingLogins()).isEqualTo(100);
    }

    @Test
    void reportsWrongLimits() {
        ModelException failure = catchThrowableOfType(
                ModelException.class,
                () -> listen(
                        "limits: {clients-per-user: -1, pending-logins: 0, acquire-timeout: 1h, queued-per-client: 1k, memory: 1m, clients: 3}, users: [{name: u, password: p, max-clients: many}]"));
        assertThat(failure.problems())
                .extracting(problem -> problem.key())
                .containsExactlyInAnyOrderElementsOf(List.of(
                        "listen.limits.clients-per-user",
                        "listen.limits.pending-logins",
                        "listen.limits.acquire-timeout",
                        "listen.limits.queued-per-client",
                        "listen.limits.memory",
                        "listen.limits.clients",
                        "listen.users[0].max-clients"));
    }
}

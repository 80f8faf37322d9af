// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node.login;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PassedRolesTest {
    private static final String ROLE = "kim";

    private final PassedRoles roles = new PassedRoles();

    /** A check that began before may have accepted the password of before. */
    @Test
    void shouldNotReplaceAPasswordThatWasBroughtDuringTheCheck() {
        long first = roles.moment();
        long second = roles.moment();
        assertThat(roles.enter(ROLE, "new", second)).isTrue();
        assertThat(roles.enter(ROLE, "old", first)).isFalse();
        assertThat(roles.open(ROLE)).isEqualTo("new");
        assertThat(roles.enter(ROLE, "newest", roles.moment())).isTrue();
        assertThat(roles.open(ROLE)).isEqualTo("newest");
    }

    @Test
    void shouldRememberTheOrderOfPasswordsWhenTheLastClientHasLeft() {
        long first = roles.moment();
        assertThat(roles.enter(ROLE, "new", roles.moment())).isTrue();
        roles.leave(ROLE);
        assertThat(roles.enter(ROLE, "old", first)).isFalse();
        assertThat(roles.open(ROLE)).isNull();
        assertThat(roles.enter(ROLE, "new", first)).isTrue();
        roles.leave(ROLE);
        assertThat(roles.enter(ROLE, "newest", roles.moment())).isTrue();
        assertThat(roles.open(ROLE)).isEqualTo("newest");
    }

    /** The memory of the order is bounded: a check that began before a forgotten password is repeated. */
    @Test
    void shouldAcceptNoPasswordOfWhichTheOrderIsForgotten() {
        long first = roles.moment();
        assertThat(roles.enter(ROLE, "new", roles.moment())).isTrue();
        roles.leave(ROLE);
        for (int i = 0; i < 2_000; i++) {
            assertThat(roles.enter("role" + i, "same", roles.moment())).isTrue();
            roles.leave("role" + i);
        }
        assertThat(roles.enter(ROLE, "old", first)).isFalse();
        assertThat(roles.enter(ROLE, "old", roles.moment())).isTrue();
    }

    @Test
    void shouldAdmitClientsWithTheSamePasswordInAnyOrder() {
        long first = roles.moment();
        assertThat(roles.enter(ROLE, "same", roles.moment())).isTrue();
        assertThat(roles.enter(ROLE, "same", first)).isTrue();
        roles.leave(ROLE);
        assertThat(roles.isPresent(ROLE)).isTrue();
        roles.leave(ROLE);
        assertThat(roles.isPresent(ROLE)).isFalse();
    }

    @Test
    void shouldForgetThePasswordWithTheLastClient() {
        assertThat(roles.enter(ROLE, "first", roles.moment())).isTrue();
        assertThat(roles.open(ROLE)).isEqualTo("first");
        roles.leave(ROLE);
        assertThat(roles.open(ROLE)).isNull();
        assertThat(roles.takeUnused(ROLE)).isTrue();
        assertThat(roles.takeUnused(ROLE)).isFalse();
        assertThat(roles.enter(ROLE, "second", roles.moment())).isTrue();
        assertThat(roles.open(ROLE)).isEqualTo("second");
    }
}

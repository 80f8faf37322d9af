// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.writeset.Scn;
import io.multimed.server.dispatcher.read.ShownCommits;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ReadPositionTest {
    private final CompletableFuture<Scn> latest = new CompletableFuture<>();
    private final ReadPosition asked = new ReadPosition(new Scn(1), new Scn(1), new Scn(1), latest);
    private final List<Exception> failures = new ArrayList<>();

    @Test
    void shouldBeTheAnswerOfTheMaster() throws Exception {
        latest.complete(new Scn(5));
        assertThat(asked.known(System.nanoTime())).isEqualTo(ReadPosition.at(new Scn(5)));
        assertThat(asked.present().needed()).isEqualTo(new Scn(5));
    }

    @Test
    void shouldNotWaitBeyondTheDeadline() {
        assertThatThrownBy(() -> asked.known(System.nanoTime())).isInstanceOf(ShownCommits.BehindException.class);
        latest.completeExceptionally(new IllegalStateException());
        assertThatThrownBy(() -> asked.known(ShownCommits.deadline())).isInstanceOf(ShownCommits.BehindException.class);
    }

    @Test
    void shouldReportThatTheMasterCannotBeAsked() {
        asked.whenKnown(known -> {}, failures::add);
        latest.completeExceptionally(new IllegalStateException());
        assertThat(failures)
                .singleElement()
                .isInstanceOfSatisfying(
                        SQLException.class,
                        failure -> assertThat(failure.getSQLState()).isEqualTo("57P03"));
    }

    /** The client of a read that cannot go on must be answered. */
    @Test
    void shouldReportThatAReadCouldNotGoOn() {
        asked.whenKnown(
                known -> {
                    throw new OutOfMemoryError("for the test");
                },
                failures::add);
        latest.complete(new Scn(5));
        assertThat(failures).singleElement().isInstanceOf(IllegalStateException.class);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.protocol.response.Executed;
import io.multimed.server.dispatcher.group.GroupedCommit;
import io.multimed.server.dispatcher.group.GroupedStatement;
import io.multimed.server.dispatcher.request.StatementTask;
import io.multimed.server.dispatcher.session.ClientContext;
import io.multimed.server.dispatcher.session.SessionTimeZone;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.LimitedWait;
import io.multimed.server.node.NodePause;
import io.multimed.server.node.task.CallingThread;
import io.multimed.server.observation.Phase;
import io.multimed.server.observation.PhaseClock;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Runs single statements of one client inside commit groups: each statement runs, is sealed, and commits at once
 * (architecture 4.2).
 */
final class GroupExecutor {
    private final @Nullable String role;
    private final ServerContext server;
    private final ComputationalNode node;
    private final NodePause pause;
    private final SessionTimeZone zone;
    private final MasterReplies replies;
    private final Cancellation cancellation;
    private final PhaseClock clock;

    private final @Nullable CallingThread caller;

    GroupExecutor(ClientContext client, ServerContext server, MasterReplies replies) {
        this.role = client.role();
        this.server = server;
        this.node = server.master().node();
        this.pause = node.pause();
        this.zone = client.zone();
        this.replies = replies;
        this.clock = client.clock();
        this.caller = client.caller();
        this.cancellation = client.statements().cancellation();
    }

    /**
     * Runs the statement inside a commit group, if the statement is suitable and its executions were fast so far.
     *
     * @param outside runs the statement outside of groups; called if the group cannot run the statement, and has undone
     * it
     * @return whether the statement has been submitted to a group; false also while the master is paused, or the
     * client's role has no connection for groups
     */
    boolean executeInGroup(StatementTask task, Runnable outside) {
        GroupedStatement statement = task.work().grouped();
        if (statement == null
                || !statement.isFast()
                || !server.master().groupWorkers().isReady(role)
                || !pause.enter()) {
            return false;
        }
        clock.enter(Phase.COMMIT_GROUP);
        GroupedCommit commit = new GroupedCommit(
                server.master().groupWorkers(), statement, zone, caller, task.receipt(), outcome(task, outside));
        cancellation.begin(() -> cancel(commit));
        node.beginWait(commit);
        server.master().order().commit(commit);
        if (cancellation.wasRequested()) {
            cancel(commit); // the request came before it could end the wait
        }
        return true;
    }

    /** Ends the wait for the turn of a statement; has no effect if it has ended. */
    private void cancel(GroupedCommit commit) {
        if (commit.giveUp(new SQLException(Cancellation.REASON, Cancellation.CANCELED))) {
            node.endWait(commit);
        }
    }

    /** Ends the statement's activity on the master once. */
    private void end(AtomicBoolean ended) {
        if (ended.compareAndSet(false, true)) {
            pause.leave();
        }
    }

    private GroupedCommit.Outcome outcome(StatementTask task, Runnable outside) {
        AtomicBoolean ended = new AtomicBoolean();
        return new GroupedCommit.Outcome() {
            @Override
            public void turnTaken(LimitedWait wait) {
                node.endWait(wait);
            }

            @Override
            public void begun() {
                clock.enter(Phase.ENGINE);
            }

            @Override
            public void committed(Executed result, Scn scn) {
                end(ended);
                replies.count(task);
                task.reply().send(result.withStatus(replies.status(scn.value())));
            }

            @Override
            public void changed(WriteSet writeSet) {
                clock.enter(Phase.PUBLISH);
                server.schema().committed(writeSet);
            }

            @Override
            public void mustRunOutside() {
                end(ended);
                outside.run();
            }

            @Override
            public void failed(SQLException cause) {
                end(ended);
                task.reply().send(replies.error(cause));
            }
        };
    }
}

package io.multimed.middleware.propagation;

import io.multimed.middleware.writeset.Scn;
import io.multimed.middleware.writeset.WriteSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Transactions that commit together and are published together (design 4.2). No two of them conflict: a second one would still wait for the first
 * one's lock. Each member's outcome is set once by the thread that committed it; whoever sets the last one hands the group on.
 */
final class CommitGroup {
    private final long first;
    private final List<CommitMember> members;
    private final AtomicReferenceArray<@Nullable Object> outcomes;
    private final AtomicInteger missing;

    CommitGroup(Scn before, List<CommitMember> members) {
        this.first = before.value() + 1;
        this.members = members;
        this.outcomes = new AtomicReferenceArray<>(members.size());
        this.missing = new AtomicInteger(members.size());
    }

    int size() {
        return members.size();
    }

    CommitMember member(int index) {
        return members.get(index);
    }

    Scn scn(int index) {
        return new Scn(first + index);
    }

    Scn end() {
        return new Scn(first + members.size() - 1);
    }

    /** Commits one member; true if it was the last one missing. */
    boolean commit(int index) {
        outcomes.set(index, outcome(index));
        return missing.decrementAndGet() == 0;
    }

    private Object outcome(int index) {
        try {
            return members.get(index).sealAndCommit(scn(index));
        } catch (SQLException | RuntimeException e) {
            return e;
        }
    }

    /** Null if the member committed. */
    @Nullable
    Exception failure(int index) {
        return outcomes.get(index) instanceof Exception failure ? failure : null;
    }

    /** What was found out later of a member whose connection broke. */
    void settle(int index, Object writeSetOrFailure) {
        outcomes.set(index, writeSetOrFailure);
    }

    /** In order; members that failed leave holes. */
    List<WriteSet> writeSets() {
        List<WriteSet> writeSets = new ArrayList<>(members.size());
        for (int i = 0; i < members.size(); i++) {
            writeSets.add(outcomes.get(i) instanceof WriteSet writeSet ? writeSet : WriteSet.hole(scn(i)));
        }
        return writeSets;
    }

    /** Whether the master's log holds anything of it. */
    boolean leftSomething() {
        return writeSets().stream().anyMatch(WriteSet::sealed);
    }

    /** What is to be said to each member: how it ended. */
    List<Runnable> tellings() {
        List<Runnable> tellings = new ArrayList<>(members.size());
        for (int i = 0; i < members.size(); i++) {
            CommitMember member = members.get(i);
            Exception failure = failure(i);
            Scn scn = scn(i);
            tellings.add(failure == null ? () -> member.published(scn) : () -> member.failed(asSqlException(failure)));
        }
        return tellings;
    }

    private static SQLException asSqlException(Exception failure) {
        return failure instanceof SQLException sql
                ? sql
                : new SQLException(
                        Objects.requireNonNullElse(failure.getMessage(), failure.toString()), "XX000", failure);
    }
}

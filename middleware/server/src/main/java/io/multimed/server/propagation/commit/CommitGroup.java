package io.multimed.server.propagation.commit;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions that commit together and are published together (architecture 4.2). Their order among
 * themselves is that of the SCNs which they took while they held their locks. Each member's outcome is set once by the thread that committed it; whoever sets the last one hands the group on.
 */
final class CommitGroup {
    /** Members that share a transaction at most: all of them wait for the last one. */
    private static final int MOST_TOGETHER = 64;

    private static final Logger LOG = LoggerFactory.getLogger(CommitGroup.class);

    private final long number;
    private final List<CommitMember> members;
    private final AtomicReferenceArray<@Nullable MemberOutcome> outcomes;

    /** Whether a failure leaves it open if the member committed. */
    private final Predicate<SQLException> mayHaveCommitted;

    private final AtomicInteger missing;

    /** When it began to commit, by {@link System#nanoTime}. */
    private final long begun = System.nanoTime();

    /** Something that others may have seen of it is gone. Used by the publisher's thread only. */
    private boolean lost;

    /**
     * @param number counts groups from 1
     * @param mayHaveCommitted whether a member that failed in this way may have committed: its connection broke
     */
    CommitGroup(long number, List<CommitMember> members, Predicate<SQLException> mayHaveCommitted) {
        this.mayHaveCommitted = mayHaveCommitted;
        this.number = number;
        this.members = members;
        this.outcomes = new AtomicReferenceArray<>(members.size());
        this.missing = new AtomicInteger(members.size());
    }

    int size() {
        return members.size();
    }

    /** A member that may commit on any thread; -1 if there is none. */
    int anyThreadMember() {
        for (int i = 0; i < members.size(); i++) {
            if (members.get(i).runsOnAnyThread()) {
                return i;
            }
        }
        return -1;
    }

    CommitMember member(int index) {
        return members.get(index);
    }

    long number() {
        return number;
    }

    /** Whether it began to commit before that moment, by {@link System#nanoTime}. */
    boolean beganBefore(long nanos) {
        return begun - nanos < 0;
    }

    /** Whether a member is one that committed without having changed anything. */
    boolean changedNothing(int index) {
        return outcomes.get(index) instanceof MemberOutcome.NothingChanged;
    }

    /** Whether a member is one that committed, and whose WriteSet is not known yet. */
    boolean isUnread(int index) {
        return outcomes.get(index) instanceof MemberOutcome.CommittedUnread;
    }

    /** Whether the WriteSets of some members must be read from the master. */
    boolean hasUnread() {
        for (int i = 0; i < members.size(); i++) {
            if (isUnread(i)) {
                return true;
            }
        }
        return false;
    }

    /** A member did not commit after all, as it turns out: the master's crash undid it. */
    void markLost(int index, SQLException failure) {
        lost = true;
        outcomes.set(index, new MemberOutcome.Failed(failure));
    }

    /** Whether the master's crash undid what others may have seen. */
    boolean hasLost() {
        return lost;
    }

    /** The members that commit in one go: each for itself, or several that share a transaction. */
    List<List<Integer>> parts() {
        List<List<Integer>> parts = new ArrayList<>(members.size());
        List<Integer> together = List.of();
        for (int i = 0; i < members.size(); i++) {
            if (!members.get(i).sharesTransaction()) {
                parts.add(List.of(i));
                continue;
            }
            if (together.isEmpty() || together.size() == MOST_TOGETHER) {
                together = new ArrayList<>();
                parts.add(together);
            }
            together.add(i);
        }
        return parts;
    }

    /** Commits one member; true if it was the last one missing. */
    boolean commit(int index) {
        return commit(List.of(index));
    }

    /** Commits the members of one {@link #parts part}; true if the last ones missing were among them. */
    boolean commit(List<Integer> part) {
        if (members.get(part.get(0)).sharesTransaction()) {
            commitTogether(part.stream().map(members::get).toList());
        }
        for (int index : part) {
            outcomes.set(index, outcome(index));
        }
        return missing.addAndGet(-part.size()) == 0;
    }

    /** Members that are not told how they ended say so themselves, and are in doubt. */
    private static void commitTogether(List<CommitMember> part) {
        try {
            part.get(0).commitTogether(part);
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            LOG.error("{} transactions that commit together could not be told how they ended", part.size(), e);
        }
    }

    private MemberOutcome outcome(int index) {
        try {
            CommitMember member = members.get(index);
            if (members.size() > 1 && member.mayCommitUnread()) { // alone it would only be a round trip more
                return member.commitUnread() ? new MemberOutcome.CommittedUnread() : new MemberOutcome.NothingChanged();
            }
            return member.sealAndCommit()
                    .<MemberOutcome>map(MemberOutcome.Committed::new)
                    .orElseGet(MemberOutcome.NothingChanged::new);
        } catch (SQLException e) {
            return mayHaveCommitted.test(e) ? new MemberOutcome.InDoubt(e) : new MemberOutcome.Failed(e);
        } catch (RuntimeException e) {
            return new MemberOutcome.InDoubt(e);
        } catch (LinkageError | VirtualMachineError | AssertionError e) {
            // the groups behind this one must not wait for ever
            return new MemberOutcome.InDoubt(new IllegalStateException(e.toString(), e));
        }
    }

    /** Whether it is not known if a member committed. */
    boolean isInDoubt(int index) {
        return outcomes.get(index) instanceof MemberOutcome.InDoubt;
    }

    /** Whether it is not known of some member if it committed. */
    boolean hasMemberInDoubt() {
        return IntStream.range(0, size()).anyMatch(this::isInDoubt);
    }

    /** Null if the member committed. */
    @Nullable
    Exception failure(int index) {
        MemberOutcome outcome = outcomes.get(index);
        if (outcome instanceof MemberOutcome.Failed failed) {
            return failed.cause();
        }
        return outcome instanceof MemberOutcome.InDoubt open ? open.cause() : null;
    }

    /** What was found on the master of a member that left it there, or whose connection broke. */
    void resolve(int index, WriteSet writeSet) {
        if (isUnread(index)) {
            members.get(index).writeSetRead(writeSet);
        }
        outcomes.set(index, new MemberOutcome.Committed(writeSet));
    }

    /** Null if the member did not commit, or changed nothing. */
    @Nullable
    WriteSet writeSet(int index) {
        return outcomes.get(index) instanceof MemberOutcome.Committed committed ? committed.writeSet() : null;
    }

    /** In the order of their SCNs, between which may be holes: those of members that failed late. */
    List<WriteSet> writeSets() {
        List<WriteSet> writeSets = new ArrayList<>(members.size());
        for (int i = 0; i < members.size(); i++) {
            WriteSet writeSet = writeSet(i);
            if (writeSet != null) {
                writeSets.add(writeSet);
            }
        }
        writeSets.sort(Comparator.comparing(WriteSet::scn));
        return writeSets;
    }

    /** The last SCN that is to be published with it; {@code published} if there is none after that. */
    Scn end(Scn published) {
        Stream<Scn> own = writeSets().stream().map(WriteSet::scn);
        Stream<Scn> announced = members.stream().map(CommitMember::bypassedUpTo);
        return Stream.concat(own, announced).reduce(published, (a, b) -> a.isAfter(b) ? a : b);
    }

    /** Whether the master's log holds nothing of it. */
    boolean hasNoWriteSets() {
        return writeSets().isEmpty();
    }

    /**
     * What is to be said to each member: how it ended.
     *
     * @param barrier when to tell a member that changed nothing, or failed: it may have seen more than the group
     * @param published where the order stands when such a member is told
     */
    List<Runnable> notifications(VisibilityBarrier barrier, Supplier<Scn> published) {
        List<Runnable> notifications = new ArrayList<>(members.size());
        for (int i = 0; i < members.size(); i++) {
            CommitMember member = members.get(i);
            WriteSet writeSet = writeSet(i);
            Exception failure = failure(i);
            Runnable ended = failure == null
                    ? () -> member.published(published.get())
                    : () -> member.failed(asSqlException(failure));
            notifications.add(
                    writeSet == null
                            ? () -> barrier.whenPublished(ended, () -> member.failed(Publisher.lostError()))
                            : () -> member.published(writeSet.scn()));
        }
        return notifications;
    }

    private static SQLException asSqlException(Exception failure) {
        return failure instanceof SQLException sql
                ? sql
                : new SQLException(
                        Objects.requireNonNullElse(failure.getMessage(), failure.toString()), "XX000", failure);
    }
}

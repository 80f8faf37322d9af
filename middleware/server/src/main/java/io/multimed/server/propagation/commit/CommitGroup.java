// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions that commit together and are published together (architecture 4.2). The order among the members is that
 * of their SCNs, which they take while they hold their locks. The thread that commits a member sets the member's
 * outcome once; the thread that sets the last outcome passes the group to the publisher. Afterwards only the
 * publisher's thread uses the group.
 */
final class CommitGroup {
    /** Maximum number of members that share a transaction, because all of them wait for the last one. */
    private static final int MAX_TOGETHER = 64;

    private static final Logger LOG = LoggerFactory.getLogger(CommitGroup.class);

    private final long number;
    private final List<CommitMember> members;
    private final AtomicReferenceArray<@Nullable MemberOutcome> outcomes;

    /** Returns whether a member may have committed although this exception was thrown. */
    private final Predicate<SQLException> mayHaveCommitted;

    private final AtomicInteger missing;

    /** Time at which the group began to commit, by {@link System#nanoTime}. */
    private final long begun = System.nanoTime();

    /** A crash of the master has undone a commit that others may have seen. Used by the publisher's thread only. */
    private boolean lost;

    /**
     * @param number groups are numbered from 1
     * @param mayHaveCommitted returns whether a member that failed with this exception may have committed, because its
     * connection broke
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

    /** Returns the index of a member that may commit on any thread; -1 if there is none. */
    int anyThreadMember() {
        for (int i = 0; i < members.size(); i++) {
            if (members.get(i).runsOnAnyThread()) {
                return i;
            }
        }
        return -1;
    }

    /** Returns whether code of users may run in the COMMIT of a member, and may take long. */
    boolean mayRunCode() {
        return members.stream().anyMatch(CommitMember::mayRunCode);
    }

    CommitMember member(int index) {
        return members.get(index);
    }

    long number() {
        return number;
    }

    /** Returns whether the group began to commit before a time, by {@link System#nanoTime}. */
    boolean beganBefore(long nanos) {
        return begun - nanos < 0;
    }

    /** Returns whether a member has committed without any change. */
    boolean changedNothing(int index) {
        return outcomes.get(index) instanceof MemberOutcome.NothingChanged;
    }

    /** Returns whether a member has committed, and its WriteSet has not been read from the master yet. */
    boolean isUnread(int index) {
        return outcomes.get(index) instanceof MemberOutcome.CommittedUnread;
    }

    /** Returns whether the WriteSets of some members must be read from the master. */
    boolean hasUnread() {
        for (int i = 0; i < members.size(); i++) {
            if (isUnread(i)) {
                return true;
            }
        }
        return false;
    }

    /** Records that a member did not commit, because a crash of the master has undone its commit. */
    void markLost(int index, SQLException failure) {
        lost = true;
        outcomes.set(index, new MemberOutcome.Failed(failure));
    }

    /** Records that a member that was in doubt did not commit. */
    void markNotCommitted(int index, SQLException failure) {
        SQLException stopped = members.get(index).stopped();
        outcomes.set(index, new MemberOutcome.Failed(stopped == null ? failure : stopped));
    }

    /**
     * Records that the outcome of a member's commit is unknown: the log contains the commit, or never will.
     *
     * @param mayBeUndone whether others may have seen a commit that a crash has undone
     */
    void markUnknown(int index, SQLException failure, boolean mayBeUndone) {
        lost |= mayBeUndone;
        outcomes.set(index, new MemberOutcome.Unknown(failure));
    }

    /** Returns the members that have not returned yet. Called by any thread. */
    List<CommitMember> missing() {
        return IntStream.range(0, size())
                .filter(i -> outcomes.get(i) == null)
                .mapToObj(members::get)
                .toList();
    }

    /** Returns for how long the group has been committing. */
    long ageNanos() {
        return System.nanoTime() - begun;
    }

    /** Returns whether a crash of the master has undone a commit that others may have seen. */
    boolean hasLost() {
        return lost;
    }

    /**
     * Divides the members into parts that commit at once: a single member, or several members that share a transaction.
     * Shared transactions of several roles that must not run at the same time are one part, too; the only such member
     * of a role is a part by itself.
     */
    List<List<Integer>> parts() {
        List<List<Integer>> parts = new ArrayList<>(members.size());
        Map<String, Integer> sharing = sharingOfRoles();
        Map<@Nullable String, List<Integer>> ofRoles = new HashMap<>();
        List<Integer> together = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            CommitMember member = members.get(i);
            String role = member.role();
            boolean withAll = member.sharesWithAll();
            if (!member.sharesTransaction() || (withAll && role != null && sharing.getOrDefault(role, 0) == 1)) {
                parts.add(List.of(i));
                continue;
            }
            List<Integer> part = withAll ? together : ofRoles.getOrDefault(role, List.of());
            if (!withAll && (part.isEmpty() || part.size() == MAX_TOGETHER)) {
                part = new ArrayList<>();
                ofRoles.put(role, part);
            }
            if (part.isEmpty()) {
                parts.add(part);
            }
            part.add(i);
        }
        return parts;
    }

    /** Returns the number of members of each role that share a transaction. */
    private Map<String, Integer> sharingOfRoles() {
        Map<String, Integer> counts = new HashMap<>();
        for (CommitMember member : members) {
            String role = member.role();
            if (role != null && member.sharesTransaction()) {
                counts.merge(role, 1, Integer::sum);
            }
        }
        return counts;
    }

    /** Commits one member. Returns true if the group is then complete. */
    boolean commit(int index) {
        return commit(List.of(index));
    }

    /** Commits the members of one {@link #parts part}. Returns true if the group is then complete. */
    boolean commit(List<Integer> part) {
        if (members.get(part.get(0)).sharesTransaction()) {
            commitTogether(part.stream().map(members::get).toList());
        }
        for (int index : part) {
            outcomes.set(index, outcome(index));
        }
        return missing.addAndGet(-part.size()) == 0;
    }

    /**
     * Commits the members of a shared transaction. If this fails, each member reports its own outcome, which may be in
     * doubt.
     */
    private static void commitTogether(List<CommitMember> part) {
        try {
            part.get(0).commitTogether(part);
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            LOG.error(
                    "the shared commit of {} transactions failed; their outcomes are read from the master",
                    part.size(),
                    e);
        }
    }

    private MemberOutcome outcome(int index) {
        try {
            CommitMember member = members.get(index);
            member.groupHasTaken(ageNanos());
            if (members.size() > 1 && member.mayCommitUnread()) { // a single member would need an additional round trip
                return member.commitUnread() ? new MemberOutcome.CommittedUnread() : new MemberOutcome.NothingChanged();
            }
            Optional<WriteSet> sealed =
                    members.size() == 1 ? member.sealAndCommitAsOnlyMember() : member.sealAndCommit();
            return sealed.<MemberOutcome>map(MemberOutcome.Committed::new).orElseGet(MemberOutcome.NothingChanged::new);
        } catch (SQLException e) {
            return mayHaveCommitted.test(e) ? new MemberOutcome.InDoubt(e) : new MemberOutcome.Failed(e);
        } catch (RuntimeException e) {
            return new MemberOutcome.InDoubt(e);
        } catch (LinkageError | VirtualMachineError | AssertionError e) {
            // otherwise the groups behind this one would wait for ever
            return new MemberOutcome.InDoubt(new IllegalStateException(e.toString(), e));
        }
    }

    /** Returns whether it is unknown if a member has committed. */
    boolean isInDoubt(int index) {
        return outcomes.get(index) instanceof MemberOutcome.InDoubt;
    }

    /** Returns whether it is unknown of some member if it has committed. */
    boolean hasMemberInDoubt() {
        for (int i = 0; i < size(); i++) {
            if (isInDoubt(i)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the reason why a member did not commit, or is in doubt; null if it has committed. */
    @Nullable
    Exception failure(int index) {
        MemberOutcome outcome = outcomes.get(index);
        if (outcome instanceof MemberOutcome.Failed failed) {
            return failed.cause();
        }
        if (outcome instanceof MemberOutcome.Unknown unknown) {
            return unknown.cause();
        }
        return outcome instanceof MemberOutcome.InDoubt open ? open.cause() : null;
    }

    /**
     * Records the WriteSet that the master has sealed for a member whose WriteSet was left there, or that was in doubt.
     */
    void resolve(int index, WriteSet writeSet) {
        if (isUnread(index)) {
            members.get(index).writeSetRead(writeSet);
        }
        outcomes.set(index, new MemberOutcome.Committed(writeSet));
    }

    /** Returns the WriteSet of a member; null if the member did not commit, or changed nothing. */
    @Nullable
    WriteSet writeSet(int index) {
        return outcomes.get(index) instanceof MemberOutcome.Committed committed ? committed.writeSet() : null;
    }

    /**
     * Returns the WriteSets in the order of their SCNs. The SCNs may have gaps, which belong to members that failed
     * late.
     */
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

    /** Gives an SCN to the commits that have none: see {@link WriteSet#inLog}. */
    void placeInLog(Scn position) {
        for (int i = 0; i < size(); i++) {
            WriteSet writeSet = writeSet(i);
            if (writeSet != null && writeSet.scn().equals(Scn.ZERO)) {
                outcomes.set(i, new MemberOutcome.Committed(writeSet.at(position)));
            }
        }
    }

    /** Returns the last SCN that is published with this group; {@code published} if the group has no later one. */
    Scn end(Scn published) {
        Scn end = published;
        for (int i = 0; i < size(); i++) {
            WriteSet writeSet = writeSet(i);
            Scn announced = members.get(i).bypassedUpTo();
            end = announced.isAfter(end) ? announced : end;
            end = writeSet != null && writeSet.scn().isAfter(end) ? writeSet.scn() : end;
        }
        return end;
    }

    /** Returns whether all that the group has left in the master's log is on disk. */
    boolean isDurable() {
        for (int i = 0; i < size(); i++) {
            if (writeSet(i) != null && !members.get(i).isDurable()) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether all members have committed, and their WriteSets are known. */
    boolean isComplete() {
        for (int i = 0; i < size(); i++) {
            if (writeSet(i) == null) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the actions that report to each member how its commit ended.
     *
     * @param barrier delays the report to a member that changed nothing or failed, because it may have seen more than
     * this group. A loss does not decide on a commit whose outcome is unknown
     * @param published returns the published SCN at the time of such a report
     */
    List<Runnable> notifications(VisibilityBarrier barrier, Supplier<Scn> published) {
        List<Runnable> notifications = new ArrayList<>(members.size());
        for (int i = 0; i < members.size(); i++) {
            CommitMember member = members.get(i);
            WriteSet writeSet = writeSet(i);
            Exception failure = failure(i);
            boolean unknown = outcomes.get(i) instanceof MemberOutcome.Unknown;
            Runnable ended = failure == null
                    ? () -> member.published(published.get())
                    : () -> fail(member, unknown, asSqlException(failure));
            notifications.add(
                    writeSet == null
                            ? () -> barrier.whenPublished(
                                    ended, unknown ? ended : () -> member.failed(LostCommits.error()))
                            : () -> member.published(writeSet.scn()));
        }
        return notifications;
    }

    private static void fail(CommitMember member, boolean unknown, SQLException failure) {
        if (unknown) {
            member.unknown(failure);
        } else {
            member.failed(failure);
        }
    }

    private static SQLException asSqlException(Exception failure) {
        return failure instanceof SQLException sql
                ? sql
                : new SQLException(
                        Objects.requireNonNullElse(failure.getMessage(), failure.toString()), "XX000", failure);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A store of lists in memory that interleaves transactions at random. It provides snapshot isolation, or violates it in
 * one way. Its history is recorded.
 */
final class SimulatedStore {
    private static final int KEYS = 2;

    /** The store's treatment of transactions. */
    enum Habit {
        /** One snapshot per transaction; of two concurrent changes of the same list the second one fails. */
        SNAPSHOT,
        /** One snapshot per transaction, but no conflict fails: values are appended to the current list. */
        LOSES_UPDATES,
        /**
         * Every read sees the currently committed values; read-only transactions have a snapshot. An append locks its
         * list.
         */
        COMMITTED,
        /** Snapshots of some moment before the transaction began. */
        STALE,
        /** Each list has a snapshot of a different moment. */
        TORN,
        /** Reads see uncommitted values of other transactions. */
        DIRTY,
        /** Values of failed transactions remain. */
        KEEPS_FAILED
    }

    private final SplittableRandom random;
    private final Habit habit;
    private final HistoryText history = new HistoryText();
    private final List<Map<Integer, List<Integer>>> states = new ArrayList<>(List.of(Map.of()));
    private final List<Client> open = new ArrayList<>();
    private int values;
    private int processes;

    private SimulatedStore(Habit habit, SplittableRandom random) {
        this.habit = habit;
        this.random = random;
    }

    /** A transaction in progress. */
    private final class Client {
        private final int process = ++processes;
        private final List<String> plan = new ArrayList<>();
        private final List<String> done = new ArrayList<>();
        private final Map<Integer, List<Integer>> appended = new HashMap<>();
        private final Map<Integer, List<Integer>> snapshot = new HashMap<>();

        Client() {
            for (int i = random.nextInt(1, 4); i > 0; i--) {
                int key = random.nextInt(KEYS);
                plan.add(random.nextBoolean() ? "r" + key : "a" + key + "=" + ++values);
            }
            history.begin(process, String.join(" ", plan));
            Map<Integer, List<Integer>> now = states.get(moment());
            for (int key = 0; key < KEYS; key++) {
                Map<Integer, List<Integer>> seen = habit == Habit.TORN ? states.get(moment()) : now;
                snapshot.put(key, seen.getOrDefault(key, List.of()));
            }
        }

        private int moment() {
            int last = states.size() - 1;
            return habit == Habit.STALE || habit == Habit.TORN ? Math.max(0, last - random.nextInt(3)) : last;
        }

        void step() {
            String step = plan.get(done.size());
            int key = step.charAt(1) - '0';
            if (step.startsWith("a")) {
                appended.computeIfAbsent(key, none -> new ArrayList<>()).add(Integer.valueOf(step.substring(3)));
                done.add(step);
            } else {
                done.add(step + "=" + seen(key).toString().replace(" ", ""));
            }
        }

        /** Returns whether another transaction has locked the list of the next append. */
        boolean isBlocked() {
            String step = done.size() < plan.size() ? plan.get(done.size()) : "r0";
            int key = step.charAt(1) - '0';
            return habit == Habit.COMMITTED
                    && step.startsWith("a")
                    && open.stream().anyMatch(other -> other != this && other.appended.containsKey(key));
        }

        private List<Integer> seen(int key) {
            boolean updates = plan.stream().anyMatch(step -> step.startsWith("a"));
            boolean current = habit == Habit.DIRTY || (habit == Habit.COMMITTED && updates);
            List<Integer> seen = new ArrayList<>(current ? now(key) : snapshot.getOrDefault(key, List.of()));
            if (habit == Habit.DIRTY) {
                open.stream().filter(other -> other != this).forEach(other -> seen.addAll(other.mine(key)));
            }
            seen.addAll(mine(key));
            return seen;
        }

        private List<Integer> mine(int key) {
            return appended.getOrDefault(key, List.of());
        }

        void end() {
            boolean blocked = done.size() < plan.size();
            boolean conflict = appended.keySet().stream().anyMatch(key -> !now(key).equals(snapshot.get(key)));
            boolean careful = habit != Habit.LOSES_UPDATES && habit != Habit.COMMITTED && habit != Habit.DIRTY;
            boolean fails = blocked || (conflict && careful) || random.nextInt(8) == 0;
            if (!fails || habit == Habit.KEEPS_FAILED) {
                Map<Integer, List<Integer>> next = new HashMap<>(states.get(states.size() - 1));
                appended.forEach((key, mine) -> {
                    List<Integer> list = new ArrayList<>(now(key));
                    list.addAll(mine);
                    next.put(key, list);
                });
                states.add(next);
            }
            history.end(process, fails ? "fail " + String.join(" ", plan) : String.join(" ", done));
        }
    }

    private List<Integer> now(int key) {
        return states.get(states.size() - 1).getOrDefault(key, List.of());
    }

    /** Returns the history of this number of transactions, followed by one that reads every list. */
    static HistoryText history(Habit habit, int transactions, SplittableRandom random) {
        SimulatedStore store = new SimulatedStore(habit, random);
        while (store.processes < transactions || !store.open.isEmpty()) {
            store.turn(transactions);
        }
        return store.history.together(
                "r0=%s r1=%s".formatted(store.now(0), store.now(1)).replace(", ", ","));
    }

    private void turn(int transactions) {
        if (processes < transactions && (open.isEmpty() || random.nextInt(3) == 0)) {
            open.add(new Client());
            return;
        }
        Client client = open.get(random.nextInt(open.size()));
        if (client.done.size() < client.plan.size() && !client.isBlocked()) {
            client.step();
        } else {
            open.remove(client);
            client.end();
        }
    }
}

package io.multimed.deploy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** A store of lists in memory, whose transactions take turns at random, and which keeps its promise of snapshot isolation or breaks it in one way. What its clients see is written down. */
final class TinyStore {
    private static final int KEYS = 2;

    /** How it treats its transactions. */
    enum Habit {
        /** One snapshot each; of two that change the same list at the same time the second one fails. */
        SNAPSHOT,
        /** A snapshot each, but nobody fails: values are appended to what is there by then. */
        LOSES_UPDATES,
        /** Every read sees what is committed by then, but for transactions that only read: they have a snapshot. Who appends keeps others from appending to the same list. */
        COMMITTED,
        /** Snapshots as of some moment before the transaction began. */
        STALE,
        /** Each list's snapshot as of its own moment. */
        TORN,
        /** Reads see what others have not committed yet. */
        DIRTY,
        /** Values of failed transactions stay. */
        KEEPS_FAILED
    }

    private final SplittableRandom random;
    private final Habit habit;
    private final HistoryText history = new HistoryText();
    private final List<Map<Integer, List<Integer>>> states = new ArrayList<>(List.of(Map.of()));
    private final List<Client> open = new ArrayList<>();
    private int values;
    private int processes;

    private TinyStore(Habit habit, SplittableRandom random) {
        this.habit = habit;
        this.random = random;
    }

    /** One transaction under way. */
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

        /** Whether another one has appended to the list that is next to be appended to. */
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

    /** What so many transactions saw; one that comes after them all reads every list. */
    static HistoryText history(Habit habit, int transactions, SplittableRandom random) {
        TinyStore store = new TinyStore(habit, random);
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

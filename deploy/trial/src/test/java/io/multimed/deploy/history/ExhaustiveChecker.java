// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import io.multimed.deploy.history.Operation.Step;
import io.multimed.deploy.history.Operation.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks a small history by the definition of its isolation level: tries every order of snapshots and commits. Supports
 * snapshot isolation, with every snapshot after the transaction's start and every commit before its end, and strict
 * serializability, where both are the same moment.
 */
final class ExhaustiveChecker {
    private final boolean serial;
    private final List<Client> clients = new ArrayList<>();
    private final Map<Integer, List<Integer>> lists = new HashMap<>();

    private static final class Client {
        private final int began;
        private final int ended;
        private final List<Step> steps;
        private final Map<Integer, List<Integer>> snapshot = new HashMap<>();
        private boolean hasSnapshot;
        private boolean hasCommitted;

        Client(int began, int ended, List<Step> steps) {
            this.began = began;
            this.ended = ended;
            this.steps = steps;
        }

        Set<Integer> changed() {
            Set<Integer> keys = new HashSet<>();
            steps.stream().filter(step -> step.append() != null).forEach(step -> keys.add(step.key()));
            return keys;
        }

        /** Returns whether the reads of the transaction agree with its snapshot and its own appends. */
        boolean sawItsSnapshot() {
            Map<Integer, List<Integer>> now = new HashMap<>(snapshot);
            for (Step step : steps) {
                List<Integer> list = now.getOrDefault(step.key(), List.of());
                if (step.append() != null) {
                    List<Integer> longer = new ArrayList<>(list);
                    longer.add(step.append());
                    now.put(step.key(), longer);
                } else if (!list.equals(step.read() == null ? List.of() : step.read())) {
                    return false;
                }
            }
            return true;
        }
    }

    private ExhaustiveChecker(boolean serial) {
        this.serial = serial;
    }

    /** Returns whether an order exists that explains all reads. */
    static boolean allows(List<Operation> operations, Isolation isolation) {
        ExhaustiveChecker judge = new ExhaustiveChecker(isolation == Isolation.SERIALIZABLE);
        Map<Integer, Integer> began = new HashMap<>();
        for (int at = 0; at < operations.size(); at++) {
            Operation line = operations.get(at);
            if (line.type() == Type.INVOKE) {
                began.put(line.process(), at);
            } else if (line.type() == Type.OK) {
                judge.clients.add(new Client(began.get(line.process()), at, line.steps()));
            }
        }
        return judge.goOn();
    }

    private boolean goOn() {
        if (clients.stream().allMatch(client -> client.hasCommitted)) {
            return true;
        }
        for (Client client : clients) {
            if (!client.hasCommitted && (client.hasSnapshot ? commits(client) : begins(client))) {
                return true;
            }
        }
        return false;
    }

    private boolean begins(Client client) {
        if (clients.stream().anyMatch(other -> other.ended < client.began && !other.hasCommitted)) {
            return false;
        }
        client.snapshot.clear();
        client.snapshot.putAll(lists);
        client.hasSnapshot = true;
        boolean explained = client.sawItsSnapshot() && (serial ? commits(client) : goOn());
        client.hasSnapshot = false;
        return explained;
    }

    private boolean commits(Client client) {
        if (!isFirst(client)) {
            return false;
        }
        Map<Integer, List<Integer>> before = new HashMap<>(lists);
        for (Step step : client.steps) {
            if (step.append() != null) {
                List<Integer> longer = new ArrayList<>(lists.getOrDefault(step.key(), List.of()));
                longer.add(step.append());
                lists.put(step.key(), longer);
            }
        }
        client.hasCommitted = true;
        boolean explained = goOn();
        client.hasCommitted = false;
        lists.clear();
        lists.putAll(before);
        return explained;
    }

    /** Returns whether no other transaction has changed the keys of this transaction since its snapshot. */
    private boolean isFirst(Client client) {
        return client.changed().stream()
                .allMatch(
                        key -> lists.getOrDefault(key, List.of()).equals(client.snapshot.getOrDefault(key, List.of())));
    }
}

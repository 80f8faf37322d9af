// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import io.multimed.deploy.history.Operation.Step;
import io.multimed.deploy.history.Operation.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The two lines of one transaction.
 *
 * @param number its place in the list of all
 * @param index the index of its first line, which identifies the transaction in messages
 * @param end OK, FAIL, or INFO for an unknown outcome
 * @param began the place of its first line among all lines; {@link #UNKNOWN} if there is none
 * @param ended the place of its last line; UNKNOWN for a transaction of unknown outcome
 * @param steps all steps, including the values read if the transaction ended OK
 */
record Transaction(int number, int index, Type end, int began, int ended, List<Step> steps) {
    static final int UNKNOWN = -1;

    boolean isOk() {
        return end == Type.OK;
    }

    boolean hasFailed() {
        return end == Type.FAIL;
    }

    boolean onlyReads() {
        return steps.stream().noneMatch(Step::isAppend);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Transaction transaction && transaction.number == number;
    }

    @Override
    public int hashCode() {
        return number;
    }

    /** Returns the transactions in the order of their ends; those without an end come last. */
    static List<Transaction> pair(List<Operation> operations) {
        List<Transaction> transactions = new ArrayList<>();
        Map<Integer, Integer> open = new HashMap<>();
        for (int at = 0; at < operations.size(); at++) {
            Operation line = operations.get(at);
            Integer began = line.type() == Type.INVOKE ? open.put(line.process(), at) : open.remove(line.process());
            if (line.type() != Type.INVOKE) {
                transactions.add(of(transactions.size(), operations, began == null ? UNKNOWN : began, at));
            } else if (began != null) {
                throw new IllegalArgumentException(
                        "operations %d and %d: process %d begins a transaction before its last one has ended; after an unknown outcome a client must continue as a new process"
                                .formatted(operations.get(began).index(), line.index(), line.process()));
            }
        }
        open.values().stream()
                .sorted()
                .forEach(began -> transactions.add(of(transactions.size(), operations, began, UNKNOWN)));
        return transactions;
    }

    private static Transaction of(int number, List<Operation> operations, int began, int ended) {
        @Nullable Operation invoke = began == UNKNOWN ? null : operations.get(began);
        Operation last = operations.get(ended == UNKNOWN ? began : ended);
        Operation first = invoke == null ? last : invoke;
        Type end = last.type() == Type.INVOKE ? Type.INFO : last.type();
        List<Step> steps = end == Type.OK ? last.steps() : first.steps();
        return new Transaction(number, first.index(), end, began, end == Type.INFO ? UNKNOWN : ended, steps);
    }
}

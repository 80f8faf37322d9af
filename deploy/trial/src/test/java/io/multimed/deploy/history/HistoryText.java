// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A short notation for histories: {@code a1=10 r2=[7,8] r3} appends 10 to key 1, reads 7 and 8 of key 2 and nothing of
 * key 3. A transaction that begins with {@code fail} or {@code info} ends with this type.
 */
final class HistoryText {
    private static final Pattern STEP = Pattern.compile("([ar])(\\d+)(?:=(\\S+))?");

    private final List<String> lines = new ArrayList<>();
    private int processes;

    /** Adds concurrent transactions, after all earlier ones have ended. */
    HistoryText together(String... transactions) {
        int first = processes;
        for (String transaction : transactions) {
            begin(++processes, transaction);
        }
        for (int i = 0; i < transactions.length; i++) {
            end(first + 1 + i, transactions[i]);
        }
        return this;
    }

    HistoryText begin(int process, String transaction) {
        return line("invoke", process, transaction.replaceAll("(r\\d+)=\\S+", "$1"));
    }

    HistoryText end(int process, String transaction) {
        String first = transaction.split(" ", 2)[0];
        return line(first.equals("fail") || first.equals("info") ? first : "ok", process, transaction);
    }

    private HistoryText line(String type, int process, String transaction) {
        List<String> steps = new ArrayList<>();
        Matcher step = STEP.matcher(transaction);
        while (step.find()) {
            steps.add("[\"%s\",%s,%s]"
                    .formatted(step.group(1).equals("a") ? "append" : "r", step.group(2), step.group(3)));
        }
        lines.add("{\"index\":%1$d,\"time\":%1$d,\"type\":\"%2$s\",\"process\":%3$d,\"f\":\"txn\",\"value\":%4$s}"
                .formatted(lines.size(), type, process, steps));
        return this;
    }

    /** Returns the history in Elle's format. */
    String json() {
        return String.join("\n", lines);
    }

    List<Operation> operations() {
        return read(json());
    }

    List<Operation> operationsWithoutTime() {
        return read(json().replaceAll("\"time\":\\d+,", ""));
    }

    private static List<Operation> read(String json) {
        try {
            return HistoryFile.read(new BufferedReader(new StringReader(json)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

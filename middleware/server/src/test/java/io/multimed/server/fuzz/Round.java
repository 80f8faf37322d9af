// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.fuzz;

import io.multimed.server.fuzz.Step.Does;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A schema and the steps of some clients, one after the other.
 *
 * @param schema statements of one client, each in its own transaction
 */
record Round(List<String> schema, List<Step> steps) {
    static final int CLIENTS = 3;

    private static final List<Does> PLAIN = List.of(
            Does.AUTO_COMMIT,
            Does.NO_AUTO_COMMIT,
            Does.COMMIT,
            Does.COMMIT,
            Does.ROLLBACK,
            Does.READ_ONLY,
            Does.READ_WRITE,
            Does.READ_WRITE,
            Does.RECONNECT);

    /** Returns a round that depends on the seed only. */
    static Round of(Grammar grammar, long seed, int statements) {
        Random random = new Random(seed);
        List<String> schema = grammar.all("schema", random);
        List<Step> steps = new ArrayList<>();
        for (int sent = 0; sent < statements; ) {
            Step step = step(grammar, random);
            steps.add(step);
            sent += step.texts().size();
        }
        return new Round(schema, steps);
    }

    private static Step step(Grammar grammar, Random random) {
        int client = random.nextInt(CLIENTS);
        int kind = random.nextInt(20);
        if (kind < 5) {
            return new Step(client, PLAIN.get(random.nextInt(PLAIN.size())), List.of());
        }
        if (kind < 7) {
            return new Step(client, Does.BATCH, batch(grammar, random));
        }
        Does does = kind < 9 ? Does.PREPARE : kind == 9 ? Does.UNDONE : Does.EXECUTE;
        return new Step(client, does, List.of(grammar.any("text", random)));
    }

    private static List<String> batch(Grammar grammar, Random random) {
        List<String> texts = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            texts.add(grammar.any("batched", random));
        }
        return texts;
    }

    /** Returns the round without some of the steps. */
    Round without(int from, int to) {
        List<Step> rest = new ArrayList<>(steps.subList(0, from));
        rest.addAll(steps.subList(to, steps.size()));
        return new Round(schema, rest);
    }

    /** Returns the round without some statements of the schema. */
    Round withoutOfSchema(int from, int to) {
        List<String> rest = new ArrayList<>(schema.subList(0, from));
        rest.addAll(schema.subList(to, schema.size()));
        return new Round(rest, steps);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        schema.forEach(statement -> text.append("schema: ").append(statement).append('\n'));
        steps.forEach(step -> text.append(step).append('\n'));
        return text.toString();
    }
}

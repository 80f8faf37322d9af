// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.evaluation.capacity.queueing.Solution;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Predicts throughput and response time for each number of satellites, and how many a number of clients need. */
final class CapacityAnswer {
    private static final double NEARLY = 0.99;

    private final Question question;
    private final Deployment deployment;
    private final DemandRange demands;
    private final ModelError error;
    private final List<Solution> solutions;

    /** With the smallest and with the largest service times of the rounds. */
    private final List<Solution> fast;

    private final List<Solution> slow;

    /**
     * A question of a user.
     *
     * @param think seconds between a reply and the next interaction
     * @param response longest mean response time in seconds
     * @param most greatest number of satellites to consider
     * @param cores cores of the machine
     */
    record Question(int clients, double think, double response, int most, int cores) {}

    CapacityAnswer(Question question, Deployment deployment, DemandRange demands, ModelError error) {
        this.question = question;
        this.deployment = deployment;
        this.demands = demands;
        this.error = error;
        this.solutions = all(demands.median());
        this.fast = all(demands.low());
        this.slow = all(demands.high());
    }

    private List<Solution> all(Demands times) {
        return IntStream.rangeClosed(1, question.most)
                .mapToObj(count -> solve(times, count))
                .toList();
    }

    private Solution solve(Demands times, int satellites) {
        return deployment.multimed(times, satellites, question.think).solve(question.clients);
    }

    /** Returns the least number of satellites with which the mean response time is within the limit. */
    Optional<Integer> satellites() {
        return satellites(count -> solutions.get(count - 1));
    }

    /** Solves no more networks than necessary, because some take seconds. */
    private Optional<Integer> satellites(IntFunction<Solution> solution) {
        return IntStream.rangeClosed(1, question.most)
                .filter(count -> solution.apply(count).response() <= question.response)
                .boxed()
                .findFirst();
    }

    /** Returns the predictions as lines for people, and the answer below. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("satellites  cores  per second       (range)    response  busiest part");
        for (int i = 0; i < solutions.size(); i++) {
            Solution each = solutions.get(i);
            lines.add(String.format(
                    Locale.ROOT,
                    "%10d %6d %11.0f %13s %11s  %s, %.0f %% busy",
                    i + 1,
                    deployment.cores(i + 1),
                    each.throughput(),
                    String.format(
                            Locale.ROOT,
                            "(%.0f-%.0f)",
                            slow.get(i).throughput(),
                            fast.get(i).throughput()),
                    time(each.response()),
                    each.bottleneck().station(),
                    100 * each.bottleneck().utilization()));
        }
        lines.add("");
        lines.addAll(answer());
        return lines;
    }

    private List<String> answer() {
        String load = "%,d clients with a mean response time of at most %s"
                .formatted(question.clients, time(question.response));
        Solution last = solutions.get(solutions.size() - 1);
        String answer = satellites()
                .map(count -> "%s need %s.".formatted(load, MeasuredPoint.title(count)))
                .orElseGet(() -> "%s: %d satellites are not enough. The busiest part is then %s, %.0f %% busy%s."
                        .formatted(
                                load,
                                question.most,
                                last.bottleneck().station(),
                                100 * last.bottleneck().utilization(),
                                advice(last.bottleneck().station())));
        List<String> lines =
                new ArrayList<>(List.of(answer, spread(), uncertainty(), error.warning(), highest(), larger()));
        lines.removeIf(String::isEmpty);
        return lines;
    }

    private static String advice(String station) {
        return switch (station) {
            case Deployment.SATELLITES -> ": allow more of them (--max-satellites), or give each more cores";
            case Deployment.ALL -> ": more satellites do not help, because all parts share these cores";
            default -> ": more satellites do not help, more cores for this part do";
        };
    }

    /** Says what the answer is with the smallest and with the largest service times of the rounds. */
    private String spread() {
        return "With the smallest and the largest service times of the rounds: %s."
                .formatted(counts(satellites(count -> fast.get(count - 1)), satellites(count -> slow.get(count - 1))));
    }

    /** Says what the answer is if all service times are wrong by as much as the throughput was at the worst point. */
    private String uncertainty() {
        if (error.points() == 0) {
            return "The model was not checked against any measured point: take the answer as a first guess.";
        }
        Demands median = demands.median();
        return String.format(
                Locale.ROOT,
                "The model was %s. With all service times divided or multiplied by %.2f, the factor of the worst point: %s.",
                error,
                error.factor(),
                counts(
                        satellites(count -> solve(median.times(1 / error.factor()), count)),
                        satellites(count -> solve(median.times(error.factor()), count))));
    }

    /** Says from which number of satellites on more of them hardly raise the throughput, or lower it. */
    private String highest() {
        double most = solutions.stream().mapToDouble(Solution::throughput).max().orElseThrow();
        int enough = IntStream.rangeClosed(1, question.most)
                .filter(count -> solutions.get(count - 1).throughput() >= NEARLY * most)
                .findFirst()
                .orElseThrow();
        return String.format(
                Locale.ROOT,
                "%s: %,.0f per second; with more satellites, the throughput rises by less than 1 %%, or falls.",
                MeasuredPoint.title(enough),
                solutions.get(enough - 1).throughput());
    }

    /** Says which numbers of satellites the machine has no room for; empty if all fit. */
    private String larger() {
        return IntStream.rangeClosed(1, question.most)
                .filter(count -> deployment.cores(count) > question.cores)
                .mapToObj(count -> "From %s on, the system needs more than the %d cores of --cores: a larger machine."
                        .formatted(MeasuredPoint.title(count), question.cores))
                .findFirst()
                .orElse("");
    }

    private String counts(Optional<Integer> least, Optional<Integer> most) {
        String low = count(least);
        String high = count(most);
        return low.equals(high) ? low + " in both cases" : low + ", or " + high;
    }

    private String count(Optional<Integer> satellites) {
        return satellites.map(MeasuredPoint::title).orElse("more than " + question.most);
    }

    private static String time(double seconds) {
        return String.format(Locale.ROOT, seconds < 1 ? "%.1f ms" : "%.2f s", seconds < 1 ? 1_000 * seconds : seconds);
    }
}

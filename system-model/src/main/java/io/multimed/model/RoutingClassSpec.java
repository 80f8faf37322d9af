// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A routing class (paper §5.3): a set of reads of which a bounded number run at the same time, on the satellites that
 * serve the class. A read belongs to the class by a hint, or if it meets all criteria that are given.
 *
 * @param tables tables of which the read names one, in lower case; empty: no criterion
 * @param pattern is found in the text of the read; empty: no criterion
 * @param slowerThan recent executions of the same text took longer than this on average; zero: no criterion
 * @param concurrency maximum number of reads that run at the same time
 * @param queue maximum number of reads that wait
 * @param longestWait maximum time that a read waits
 */
public record RoutingClassSpec(
        String name,
        List<String> tables,
        Optional<Pattern> pattern,
        Duration slowerThan,
        int concurrency,
        int queue,
        Duration longestWait) {
    /** The name of the class of all reads that belong to no other. */
    public static final String DEFAULT = "default";

    static final int DEFAULT_CONCURRENCY = 4;
    static final int DEFAULT_QUEUE = 100;
    static final Duration DEFAULT_WAIT = Duration.ofSeconds(10);

    public RoutingClassSpec {
        tables = List.copyOf(tables);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import io.multimed.tpcw.schema.Scale;
import picocli.CommandLine.Option;

/** Options of the TPC-W database: size and seed. A run needs the same values as the load before it. */
final class ScaleOptions {
    @Option(names = "--items", description = "Rows of ITEM. Default: ${DEFAULT-VALUE}", defaultValue = "10000")
    private int items;

    @Option(
            names = "--ebs",
            description =
                    "Emulated browsers that determine the number of customers: 2,880 for each. Default: ${DEFAULT-VALUE}",
            defaultValue = "10")
    private int ebs;

    @Option(
            names = "--seed",
            description = "Seed of the data: the same seed gives the same data. Default: ${DEFAULT-VALUE}",
            defaultValue = "42")
    private long seed;

    /** Returns the size of the database. */
    Scale scale() {
        return new Scale(items, ebs);
    }

    /** Returns the seed from which the data is generated. */
    long seed() {
        return seed;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.browser.Pages;
import io.multimed.tpcw.browser.ThinkTime;
import io.multimed.tpcw.interaction.ReadOptions;
import io.multimed.tpcw.run.RunOptions;
import picocli.CommandLine.Option;

/** Options of the TPC-W load: the mix, the number of clients, and the times of a round. */
final class LoadOptions {
    @Option(
            names = "--mix",
            description = "The mix: browsing, shopping or ordering. Default: ${DEFAULT-VALUE}",
            defaultValue = "browsing")
    private Mix mix = Mix.BROWSING;

    @Option(names = "--clients", description = "Emulated browsers. Default: ${DEFAULT-VALUE}", defaultValue = "50")
    private int clients;

    @Option(
            names = "--seconds",
            description = "Seconds of measured time in a round. Default: ${DEFAULT-VALUE}",
            defaultValue = "30")
    private int seconds;

    @Option(
            names = "--warmup",
            description =
                    "Seconds of warm-up of each database before its first round, in which Java compiles what runs often. Default: ${DEFAULT-VALUE}",
            defaultValue = "45")
    private int warmup;

    @Option(
            names = "--think",
            description = "Pause between two pages: none, or tpcw for the times of TPC-W. Default: ${DEFAULT-VALUE}",
            defaultValue = "none")
    private ThinkTime think = ThinkTime.NONE;

    @Option(
            names = "--best-sellers-freshness",
            description =
                    "How far behind the list of best sellers may be, such as 30s, which TPC-W permits. Default: it is current",
            defaultValue = "")
    private String bestSellersLag = "";

    @Option(
            names = "--undeclared-reads",
            description =
                    "All interactions run in read-write transactions, and none calls setReadOnly, as in most applications")
    private boolean undeclaredReads;

    @Option(
            names = "--reports",
            description =
                    "Clients that run reports over whole tables beside the browsers, on Multimed in the routing class reports. Default: ${DEFAULT-VALUE}",
            defaultValue = "0")
    private int reports;

    /** Returns the options as the TPC-W module expects them, together with size and seed of the data. */
    RunOptions options(ScaleOptions scale) {
        return new RunOptions(
                mix,
                clients,
                seconds,
                warmup,
                think,
                scale.scale(),
                scale.seed(),
                new ReadOptions(bestSellersLag, !undeclaredReads),
                reports,
                Pages.ALL);
    }
}

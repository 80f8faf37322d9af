// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.run;

import io.multimed.tpcw.browser.Mix;
import io.multimed.tpcw.browser.Pages;
import io.multimed.tpcw.browser.ThinkTime;
import io.multimed.tpcw.interaction.ReadOptions;
import io.multimed.tpcw.schema.Scale;

/**
 * Parameters of a run.
 *
 * @param clients number of emulated browsers
 * @param seconds length of a measured interval
 * @param warmup seconds before, without measurement
 * @param reads what the interactions tell the database about their reads
 * @param reports number of clients that run reports beside the browsers
 * @param pages which pages of the mix the browsers visit
 */
public record RunOptions(
        Mix mix,
        int clients,
        int seconds,
        int warmup,
        ThinkTime think,
        Scale scale,
        long seed,
        ReadOptions reads,
        int reports,
        Pages pages) {
    /** Options of a run in which all lists are current, without reports. */
    public RunOptions(Mix mix, int clients, int seconds, int warmup, ThinkTime think, Scale scale, long seed) {
        this(mix, clients, seconds, warmup, think, scale, seed, ReadOptions.DEFAULT, 0, Pages.ALL);
    }

    public RunOptions {
        if (clients < 1 || seconds < 1 || warmup < 0) {
            throw new IllegalArgumentException("clients and seconds must be at least 1, warmup at least 0");
        }
    }
}

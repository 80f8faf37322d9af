// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.section;

/** The keyword {@code synchronized}. */
final class MonitorSection implements Section {
    private final Numbers numbers;

    MonitorSection(Work work) {
        numbers = new Numbers(work);
    }

    @Override
    public synchronized long read() {
        return numbers.read();
    }

    @Override
    public synchronized void update() {
        numbers.change();
    }
}

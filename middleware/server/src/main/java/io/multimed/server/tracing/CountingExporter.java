// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.tracing;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.concurrent.atomic.LongAdder;

/** Counts the spans that another exporter could not send. */
final class CountingExporter implements SpanExporter {
    private final SpanExporter exporter;
    private final LongAdder lost = new LongAdder();

    CountingExporter(SpanExporter exporter) {
        this.exporter = exporter;
    }

    long lost() {
        return lost.sum();
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        int size = spans.size(); // the collection may be used again
        CompletableResultCode result = exporter.export(spans);
        return result.whenComplete(() -> {
            if (!result.isSuccess()) {
                lost.add(size);
            }
        });
    }

    @Override
    public CompletableResultCode flush() {
        return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
        return exporter.shutdown();
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.tracing;

import io.multimed.model.observation.TracingSettings;
import io.multimed.protocol.session.TraceContext;
import io.multimed.server.observation.PhaseClock.Segment;
import io.multimed.server.observation.StatementReport;
import io.multimed.server.observation.StatementTracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends a span for each sampled statement, and one below it for each of its phases, to a collector. The names of
 * attributes follow the semantic conventions of OpenTelemetry where those exist.
 *
 * <p>The queue of spans is bounded; further spans are dropped. A collector that does not answer delays nothing but its
 * own spans, on threads of the exporter.
 */
public final class SpanSender implements StatementTracer {
    private static final int WAITING_SPANS = 4_096;
    private static final int BATCH = 512;
    private static final Duration SEND_AFTER = Duration.ofSeconds(1);
    private static final Duration EXPORT_TIMEOUT = Duration.ofSeconds(10);
    private static final long CLOSE_SECONDS = 2;

    private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("db.system.name");
    private static final AttributeKey<String> DATABASE = AttributeKey.stringKey("db.namespace");
    private static final AttributeKey<String> TEXT = AttributeKey.stringKey("db.query.text");
    private static final AttributeKey<String> STATE = AttributeKey.stringKey("db.response.status_code");
    private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
    private static final AttributeKey<String> CLIENT = AttributeKey.stringKey("client.address");
    private static final AttributeKey<String> USER = AttributeKey.stringKey("user.name");
    private static final AttributeKey<String> NODE = AttributeKey.stringKey("multimed.node");
    private static final AttributeKey<String> ROUTE = AttributeKey.stringKey("multimed.route");

    private final double sample;
    private final Attributes common;
    private final CountingExporter exporter;
    private final SdkTracerProvider provider;
    private final Tracer tracer;

    /** @param engine the engine of all nodes, as in the System Model */
    public SpanSender(TracingSettings settings, String database, String engine) {
        JavaLogging.redirect();
        this.sample = settings.sample();
        this.common = Attributes.of(SYSTEM, engine, DATABASE, database);
        this.exporter = new CountingExporter(OtlpHttpSpanExporter.builder()
                .setEndpoint(settings.endpoint().toString())
                .setTimeout(EXPORT_TIMEOUT)
                .build());
        this.provider = SdkTracerProvider.builder()
                .setResource(Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), "multimed")))
                .setSampler(Sampler.alwaysOn()) // samples() has decided
                .addSpanProcessor(BatchSpanProcessor.builder(exporter)
                        .setMaxQueueSize(WAITING_SPANS)
                        .setMaxExportBatchSize(BATCH)
                        .setScheduleDelay(SEND_AFTER)
                        .setExporterTimeout(EXPORT_TIMEOUT)
                        .build())
                .build();
        this.tracer = provider.get("io.multimed");
    }

    @Override
    public boolean isOn() {
        return true;
    }

    /** Follows the decision of the application, if there is one. */
    @Override
    public boolean samples(@Nullable TraceContext operation) {
        return operation == null ? ThreadLocalRandom.current().nextDouble() < sample : operation.isSampled();
    }

    @Override
    public void trace(StatementReport statement, List<Segment> phases, @Nullable TraceContext operation) {
        Span span = tracer.spanBuilder("multimed " + statement.request())
                .setSpanKind(SpanKind.SERVER)
                .setParent(operation == null ? Context.root() : parent(operation))
                .setStartTimestamp(statement.begun())
                .setAllAttributes(common)
                .setAttribute(TEXT, statement.statement())
                .setAttribute(CLIENT, statement.address())
                .setAttribute(USER, statement.user())
                .setAttribute(NODE, statement.node())
                .setAttribute(ROUTE, statement.route())
                .startSpan();
        if (!statement.sqlState().isEmpty()) {
            span.setAttribute(STATE, statement.sqlState());
            span.setAttribute(ERROR, statement.sqlState());
            span.setStatus(StatusCode.ERROR);
        }
        Context own = Context.root().with(span);
        phases.forEach(phase -> trace(phase, statement.begun(), own));
        span.end(statement.begun().plusNanos(statement.nanos()));
    }

    private void trace(Segment phase, Instant begun, Context statement) {
        tracer.spanBuilder(phase.phase().label())
                .setParent(statement)
                .setStartTimestamp(begun.plusNanos(phase.begin()))
                .startSpan()
                .end(begun.plusNanos(phase.end()));
    }

    private static Context parent(TraceContext operation) {
        return Context.root()
                .with(Span.wrap(SpanContext.createFromRemoteParent(
                        operation.traceId(),
                        operation.spanText(),
                        TraceFlags.fromByte((byte) operation.flags()),
                        TraceState.getDefault())));
    }

    @Override
    public long lost() {
        return exporter.lost();
    }

    /** Sends the spans that wait, for a limited time. */
    @Override
    public void close() {
        provider.shutdown().join(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.protocol.session.TraceContext;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * Reads the present trace context from the API of OpenTelemetry. The driver has no dependencies, and therefore finds
 * the API by its names, which OpenTelemetry keeps stable.
 */
final class OpenTelemetryApi {
    private static final String PACKAGE = "io.opentelemetry.api.trace.";

    /** {@code Span.current().getSpanContext()}. */
    private final MethodHandle context;

    private final MethodHandle isValid;
    private final MethodHandle traceId;
    private final MethodHandle spanId;
    private final MethodHandle flags;

    private OpenTelemetryApi(Class<?> span, Class<?> spanContext, Class<?> traceFlags)
            throws NoSuchMethodException, IllegalAccessException {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        context = MethodHandles.filterReturnValue(
                        lookup.findStatic(span, "current", MethodType.methodType(span)),
                        lookup.findVirtual(span, "getSpanContext", MethodType.methodType(spanContext)))
                .asType(MethodType.methodType(Object.class));
        isValid = method(lookup, spanContext, "isValid", boolean.class);
        traceId = method(lookup, spanContext, "getTraceId", String.class);
        spanId = method(lookup, spanContext, "getSpanId", String.class);
        flags = MethodHandles.filterReturnValue(
                        lookup.findVirtual(spanContext, "getTraceFlags", MethodType.methodType(traceFlags)),
                        lookup.findVirtual(traceFlags, "asHex", MethodType.methodType(String.class)))
                .asType(MethodType.methodType(String.class, Object.class));
    }

    private static MethodHandle method(MethodHandles.Lookup lookup, Class<?> of, String name, Class<?> result)
            throws NoSuchMethodException, IllegalAccessException {
        return lookup.findVirtual(of, name, MethodType.methodType(result))
                .asType(MethodType.methodType(result, Object.class));
    }

    /**
     * Returns the API that a class loader finds, or otherwise the one that the driver's class loader finds; null if the
     * application does not contain it.
     */
    static @Nullable OpenTelemetryApi find(@Nullable ClassLoader application) {
        OpenTelemetryApi api = application == null ? null : load(application);
        ClassLoader own = OpenTelemetryApi.class.getClassLoader();
        return api != null || own == null ? api : load(own);
    }

    private static @Nullable OpenTelemetryApi load(ClassLoader loader) {
        try {
            return new OpenTelemetryApi(
                    Class.forName(PACKAGE + "Span", true, loader),
                    Class.forName(PACKAGE + "SpanContext", true, loader),
                    Class.forName(PACKAGE + "TraceFlags", true, loader));
        } catch (ReflectiveOperationException | LinkageError e) {
            return null; // the application does not use OpenTelemetry
        }
    }

    /** Returns the present context; null if there is none. A failure of the API does not affect the statement. */
    @Nullable
    TraceContext current() {
        try {
            Object present = (Object) context.invokeExact();
            if (!(boolean) isValid.invokeExact(present)) {
                return null;
            }
            return TraceContext.parse("00-%s-%s-%s"
                            .formatted(
                                    (String) traceId.invokeExact(present),
                                    (String) spanId.invokeExact(present),
                                    (String) flags.invokeExact(present)))
                    .orElse(null);
        } catch (Error e) {
            if (e instanceof VirtualMachineError) {
                throw e;
            }
            return null;
        } catch (Throwable e) { // a method handle declares it
            return null;
        }
    }
}

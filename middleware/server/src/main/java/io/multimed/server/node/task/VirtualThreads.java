// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node.task;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/** Recognizes virtual threads, which Java 17 does not have: their interrupt breaks a connection that they use. */
public final class VirtualThreads {
    private static final @Nullable MethodHandle IS_VIRTUAL = find();

    private VirtualThreads() {}

    private static @Nullable MethodHandle find() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException e) {
            return null; // a version of Java without virtual threads
        }
    }

    /** Returns whether the current thread is a virtual one. */
    public static boolean isCurrent() {
        MethodHandle known = IS_VIRTUAL;
        if (known == null) {
            return false;
        }
        try {
            return (boolean) known.invokeExact(Thread.currentThread());
        } catch (Throwable e) {
            throw new IllegalStateException("Thread.isVirtual", e);
        }
    }
}

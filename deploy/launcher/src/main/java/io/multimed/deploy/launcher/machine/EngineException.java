// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.machine;

/**
 * Reports that an engine could not be started or stopped. The message names the node, the cause, and a remedy; commands
 * print the message without a stack trace. Unchecked, because callers cannot continue without the engine.
 */
public final class EngineException extends RuntimeException {
    public EngineException(String message) {
        super(message);
    }

    public EngineException(String message, Throwable cause) {
        super(message, cause);
    }
}

package io.multimed.deploy.launcher;

/** Reports that an engine could not be started or stopped. The message names the node, the cause, and a remedy. */
public final class EngineException extends RuntimeException {
    public EngineException(String message) {
        super(message);
    }

    public EngineException(String message, Throwable cause) {
        super(message, cause);
    }
}

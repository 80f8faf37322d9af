package io.multimed.deploy.launcher;

/** An engine could not be started or stopped. The message names the node, says what is wrong, and what to do. */
public final class EngineException extends RuntimeException {
    public EngineException(String message) {
        super(message);
    }

    public EngineException(String message, Throwable cause) {
        super(message, cause);
    }
}

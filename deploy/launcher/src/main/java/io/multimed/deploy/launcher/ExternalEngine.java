package io.multimed.deploy.launcher;

import io.multimed.model.ExternalConnection;
import io.multimed.model.NodeSpec;

/** An engine that somebody else runs. */
record ExternalEngine(NodeSpec node) implements RunningEngine {
    private ExternalConnection external() {
        return node.external().orElseThrow();
    }

    @Override
    public String title() {
        return node.engine();
    }

    @Override
    public String jdbcUrl() {
        return external().url();
    }

    @Override
    public String user() {
        return external().user();
    }

    @Override
    public String password() {
        return external().password().reveal();
    }

    @Override
    public ServerUser account() {
        throw new EngineException(node.name() + " is not ours, nor are its processes");
    }

    @Override
    public long pid() {
        return 0;
    }

    @Override
    public boolean isAlive() {
        return true;
    }

    @Override
    public boolean hasDied() {
        return false;
    }

    @Override
    public void kill() {
        throw new EngineException(node.name() + " is not ours to stop");
    }

    @Override
    public void loseData() {
        throw new EngineException(node.name() + " is not ours to empty");
    }

    /** Somebody else does that. */
    @Override
    public boolean revive() {
        return false;
    }

    @Override
    public void restart() {
        throw new EngineException(node.name() + " is not ours to restart");
    }

    @Override
    public void stop() {
        // Not ours to stop.
    }

    @Override
    public void close() {
        // Not ours to stop.
    }
}

package io.multimed.engine.master;

import java.util.Optional;

/**
 * Multimed's tables and triggers on the master. Stateless: every method works on the connection that it is given. An
 * engine implements the roles one by one and composes them, see {@link ComposedMasterStore}.
 */
public interface MasterStore extends CaptureInstaller, Fencing, SealedLog, DdlCapture, SeedSource, LogForcing {
    /** Returns access to captured transactions that bypass the middleware; empty if the engine cannot capture them. */
    Optional<BypassStore> bypass();
}

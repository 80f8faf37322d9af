// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.master;

import java.util.Optional;

/**
 * Multimed's tables and triggers on the master, by subject. Stateless: every method works on the connection that it is
 * given.
 *
 * @param bypass access to captured transactions that bypass the middleware; empty if the engine cannot capture them
 */
public record MasterStore(
        CaptureInstaller capture,
        Fencing fencing,
        SealedLog log,
        DdlCapture ddl,
        SeedSource seeds,
        LogForcing logForcing,
        Optional<BypassStore> bypass) {}

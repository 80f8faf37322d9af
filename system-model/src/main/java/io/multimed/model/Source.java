// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

/** Origin of an engine's programs and process (architecture 5). */
public enum Source {
    /** Multimed starts the binaries that it ships. */
    EMBEDDED,
    /** Multimed starts an installation of this machine. */
    INSTALLED,
    /** The engine already runs. Multimed only connects to it. */
    EXTERNAL,
}

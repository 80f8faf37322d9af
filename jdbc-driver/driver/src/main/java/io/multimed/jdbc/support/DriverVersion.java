// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.support;

/** Names the driver and its version, as applications can read them from the metadata. */
public final class DriverVersion {
    public static final int MAJOR = 0;
    public static final int MINOR = 1;
    public static final String NAME = "Multimed JDBC Driver";

    private DriverVersion() {}
}

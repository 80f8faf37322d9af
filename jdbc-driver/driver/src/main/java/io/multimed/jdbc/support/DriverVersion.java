package io.multimed.jdbc.support;

/** The driver's name and version, as applications can ask for them. */
public final class DriverVersion {
    public static final int MAJOR = 0;
    public static final int MINOR = 1;
    public static final String NAME = "Multimed JDBC Driver";

    private DriverVersion() {}
}

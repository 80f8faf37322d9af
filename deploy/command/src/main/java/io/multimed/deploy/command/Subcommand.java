package io.multimed.deploy.command;

/** A subcommand of {@code multimed} that another module provides: a class of picocli's with a public constructor without parameters, found with {@link java.util.ServiceLoader}. */
public interface Subcommand {}

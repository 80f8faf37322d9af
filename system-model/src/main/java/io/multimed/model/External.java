package io.multimed.model;

/** How an engine that runs already is reached: JDBC URL of its own driver, and who connects. */
public record External(String url, String user, Secret password) {}

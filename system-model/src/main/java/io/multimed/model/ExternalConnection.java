package io.multimed.model;

import io.multimed.model.value.Secret;

/** How an engine that runs already is reached: JDBC URL of its own driver, and who connects. */
public record ExternalConnection(String url, String user, Secret password) {}

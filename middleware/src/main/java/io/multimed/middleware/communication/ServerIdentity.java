package io.multimed.middleware.communication;

import io.multimed.protocol.EngineIdentity;
import java.util.List;

/** What a client is told when it is welcome. */
public record ServerIdentity(String database, EngineIdentity engine, List<String> nodes) {}

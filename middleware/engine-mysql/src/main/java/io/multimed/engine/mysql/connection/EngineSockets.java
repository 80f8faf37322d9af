// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import com.mysql.cj.conf.PropertySet;
import com.mysql.cj.conf.RuntimeProperty;
import com.mysql.cj.protocol.StandardSocketFactory;
import io.multimed.engine.pool.EngineSocket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Creates sockets over TCP or, if the property {@link #PATH} is set, over a Unix-domain socket. The driver creates one
 * instance for each connection, by the name of the class.
 */
public class EngineSockets extends StandardSocketFactory {
    /** A property of the connection that only this class reads: the path of the Unix-domain socket. */
    static final String PATH = "multimedSocketPath";

    /** Called by the driver. */
    public EngineSockets() {}

    @Override
    protected Socket createSocket(PropertySet properties) {
        try {
            return createSocket(path(properties));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Socket createSocket(Optional<Path> path) throws IOException {
        return new EngineSocket(path);
    }

    private static Optional<Path> path(PropertySet properties) {
        RuntimeProperty<@Nullable String> property = properties.getStringProperty(PATH);
        return Optional.ofNullable(property).map(RuntimeProperty::getValue).map(Path::of);
    }
}

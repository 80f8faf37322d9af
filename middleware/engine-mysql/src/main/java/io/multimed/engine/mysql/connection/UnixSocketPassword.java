// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import com.mysql.cj.protocol.a.NativePacketPayload;
import com.mysql.cj.protocol.a.authentication.CachingSha2PasswordPlugin;
import com.mysql.cj.util.StringUtils;
import java.util.List;

/**
 * MySQL's default authentication on a Unix-domain socket. If the server does not remember the account, it requests the
 * password itself: it regards the socket as confidential, as its own clients do. Connector/J would ask for a key to
 * encrypt the password, and the server would take the question for a wrong password.
 *
 * <p>The driver creates one instance for each connection, by the name of the class.
 */
public final class UnixSocketPassword extends CachingSha2PasswordPlugin {
    private static final byte PASSWORD_REQUESTED = 4;

    /** Called by the driver. */
    public UnixSocketPassword() {}

    @Override
    public boolean nextAuthenticationStep(NativePacketPayload fromServer, List<NativePacketPayload> toServer) {
        if (fromServer == null || !isRequest(fromServer) || password == null || password.isEmpty()) {
            return super.nextAuthenticationStep(fromServer, toServer);
        }
        String encoding = protocol.getServerSession().getCharsetSettings().getPasswordCharacterEncoding();
        toServer.clear();
        toServer.add(new NativePacketPayload(StringUtils.getBytes(password + '\0', encoding)));
        return true;
    }

    /** Returns whether the server requests the password; its first message, a random text, is longer. */
    private static boolean isRequest(NativePacketPayload fromServer) {
        int at = fromServer.getPosition();
        return fromServer.getPayloadLength() - at == 1 && fromServer.getByteBuffer()[at] == PASSWORD_REQUESTED;
    }
}

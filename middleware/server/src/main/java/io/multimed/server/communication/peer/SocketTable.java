// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.peer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * The TCP sockets of this network namespace, as Linux lists them in {@code /proc/net/tcp} and {@code tcp6}. Reads the
 * lists row by row, and keeps nothing of them.
 */
final class SocketTable {
    /** Rows of a list that are read, within about a second. Longer lists are refused. */
    private static final int MAX_ROWS = 1_000_000;

    private static final String ESTABLISHED = "01";

    /** The fields of a row after the addresses. */
    private static final int STATE = 0;

    private static final int ACCOUNT = 4;
    private static final int INODE = 6;

    private final Path ipv4;
    private final Path ipv6;
    private final int mostRows;

    /** @param folder {@code /proc/self/net} */
    SocketTable(Path folder) {
        this(folder, MAX_ROWS);
    }

    SocketTable(Path folder, int mostRows) {
        this.ipv4 = folder.resolve("tcp");
        this.ipv6 = folder.resolve("tcp6");
        this.mostRows = mostRows;
    }

    /**
     * Returns the accounts that have opened the clients' sockets, as numbers, by connection. Connections that are not
     * in the lists, or that the client has closed, are absent.
     *
     * @throws IOException if this system has no such lists, or if they are too long
     */
    Map<LocalConnection, Long> owners(Collection<LocalConnection> connections) throws IOException {
        Map<String, LocalConnection> ipv4Rows = new HashMap<>();
        Map<String, LocalConnection> ipv6Rows = new HashMap<>();
        for (LocalConnection connection : connections) {
            if (connection.isIpv4()) {
                ipv4Rows.put(connection.ipv4Row(), connection);
            }
            ipv6Rows.put(connection.ipv6Row(), connection);
        }
        Map<LocalConnection, Long> owners = new HashMap<>();
        read(ipv4, ipv4Rows, owners);
        if (owners.size() < connections.size() && Files.exists(ipv6)) {
            read(ipv6, ipv6Rows, owners);
        }
        return owners;
    }

    private void read(Path list, Map<String, LocalConnection> rows, Map<LocalConnection, Long> owners)
            throws IOException {
        if (rows.isEmpty()) {
            return;
        }
        int length = rows.keySet().iterator().next().length();
        try (BufferedReader reader = Files.newBufferedReader(list, ISO_8859_1)) {
            String row = reader.readLine();
            for (int count = 0; row != null && owners.size() < rows.size(); count++) {
                if (count > mostRows) {
                    throw new IOException("%s has more than %d sockets".formatted(list, mostRows));
                }
                readRow(row, length, rows, owners);
                row = reader.readLine();
            }
        }
    }

    /**
     * Reads a row, which begins with its number: {@code 0: 0100007F:1CF3 0100007F:A1B2 01 ...}. A socket whose process
     * has closed it has no account of its own (0, as root has) and no inode, and must not count.
     */
    private static void readRow(
            String row, int length, Map<String, LocalConnection> rows, Map<LocalConnection, Long> owners) {
        int begin = row.indexOf(": ") + 2;
        int end = begin + length;
        LocalConnection found = begin < 2 || end > row.length() ? null : rows.get(row.substring(begin, end));
        if (found == null) {
            return;
        }
        String[] fields = row.substring(end).strip().split(" +", INODE + 2);
        if (fields.length > INODE && fields[STATE].equals(ESTABLISHED) && !fields[INODE].equals("0")) {
            owners.put(found, Long.parseLong(fields[ACCOUNT]));
        }
    }
}

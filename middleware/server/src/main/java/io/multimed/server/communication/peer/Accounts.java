// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.peer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The accounts of this machine, and the one that runs this process. */
final class Accounts {
    static final long ROOT = 0;

    private static final long ALL = 4_294_967_295L;
    private static final String STANDARD_OVERFLOW = "65534";

    /** Field of the effective account in the line {@code Uid:} of {@code /proc/self/status}. */
    private static final int EFFECTIVE = 2;

    private final long own;
    private final boolean isAmbiguous;
    private final Path list;

    /**
     * @param own the account that runs this process
     * @param isAmbiguous whether the kernel gives all accounts outside of this process's user namespace the number of
     *     {@code own}
     * @param list {@code /etc/passwd}
     */
    Accounts(long own, boolean isAmbiguous, Path list) {
        this.own = own;
        this.isAmbiguous = isAmbiguous;
        this.list = list;
    }

    /**
     * Reads the account of this process.
     *
     * @throws IOException if this system is not Linux
     */
    static Accounts ofThisProcess() throws IOException {
        long own = effective(Files.readAllLines(Path.of("/proc/self/status"), ISO_8859_1));
        Path overflow = Path.of("/proc/sys/kernel/overflowuid");
        String unknown = Files.isReadable(overflow) ? Files.readString(overflow).strip() : STANDARD_OVERFLOW;
        boolean ambiguous =
                unknown.equals(Long.toString(own)) && !knowsAll(Files.readString(Path.of("/proc/self/uid_map")));
        return new Accounts(own, ambiguous, Path.of("/etc/passwd"));
    }

    private static long effective(List<String> status) throws IOException {
        for (String line : status) {
            if (line.startsWith("Uid:")) {
                return Long.parseLong(line.split("\\s+", -1)[EFFECTIVE]);
            }
        }
        throw new IOException("/proc/self/status does not name the account of this process");
    }

    /** Returns whether a process sees the numbers of all accounts, given the map of its user namespace. */
    static boolean knowsAll(String map) {
        String[] fields = map.strip().split("\\s+", -1);
        return fields.length == 3 && Long.parseLong(fields[2]) == ALL;
    }

    /** Returns whether an account may do everything that this process may do. */
    boolean isTrusted(long account) {
        return account == ROOT || (account == own && !isAmbiguous);
    }

    /** Returns the trusted accounts, for a message. */
    String trusted() {
        String of = "the account %s, which runs the middleware,".formatted(name(own));
        return own == ROOT ? of : of + " and root";
    }

    /** Returns the name of an account in quotation marks; its number if its name is not in the list. */
    String name(long account) {
        String number = Long.toString(account);
        try (BufferedReader reader = Files.newBufferedReader(list, ISO_8859_1)) {
            @Nullable String line = reader.readLine();
            while (line != null) {
                String[] fields = line.split(":", 4);
                if (fields.length > 3 && fields[2].equals(number)) {
                    return "\"" + fields[0] + "\"";
                }
                line = reader.readLine();
            }
        } catch (IOException e) {
            return number; // without the list, messages contain numbers only
        }
        return number;
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.distribution;

import static io.multimed.deploy.distribution.MistakeTest.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.model.listen.UserLimits;
import io.multimed.model.listen.UsersFile;
import io.multimed.protocol.Scram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code multimed user} without a running middleware. */
class UserCommandTest {
    @TempDir
    private Path folder;

    private String file;
    private String password;

    @BeforeEach
    void write() throws Exception {
        file = folder.resolve("users").toString();
        password =
                Files.writeString(folder.resolve("password"), "correct horse\n").toString();
    }

    private String user(String command, String... more) {
        String[] line = new String[more.length + 4];
        System.arraycopy(new String[] {"user", command, "--file", file}, 0, line, 0, 4);
        System.arraycopy(more, 0, line, 4, more.length);
        return run(line);
    }

    @Test
    void addsListsChangesAndRemovesUsers() throws Exception {
        assertThat(user("add", "--password-file", password, "--administrator", "ann"))
                .isEqualTo("0 added ann\n");
        assertThat(user("add", "--password-file", password, "bob")).isEqualTo("0 added bob\n");
        assertThat(user("list")).isEqualTo("0 ann (administrator)\nbob\n");
        String before = Files.readString(Path.of(file));
        assertThat(before).doesNotContain("correct horse");
        assertThat(user("add", "--password-file", password, "bob")).isEqualTo("0 changed bob\n");
        assertThat(Files.readString(Path.of(file))).as("another salt").isNotEqualTo(before);
        assertThat(user("remove", "ann")).isEqualTo("0 removed ann\n");
        UsersFile.Entry left = UsersFile.read(Path.of(file)).users().get(0);
        assertThat(left.name()).isEqualTo("bob");
        Scram.Verifier verifier = Scram.Verifier.parse(left.verifier());
        assertThat(Scram.verifier("correct horse".toCharArray(), verifier.salt(), verifier.iterations())
                        .storedKey())
                .isEqualTo(verifier.storedKey());
    }

    @Test
    void storesTheLimitsOfAUser() throws Exception {
        user("add", "--password-file", password, "--max-clients", "20", "--max-statements=0", "ann");
        assertThat(user("list")).isEqualTo("0 ann (at most 20 clients, any number of statements)\n");
        UserLimits limits = UsersFile.read(Path.of(file)).users().get(0).limits();
        assertThat(limits).isEqualTo(new UserLimits(OptionalInt.of(20), OptionalInt.of(0)));
        assertThat(user("add", "--password-file", password, "--max-clients=-1", "bob"))
                .startsWith("2 ")
                .contains("--max-clients=-1 is not a number from 0 to 1000000");
    }

    @Test
    void saysWhatIsWrong() throws Exception {
        assertThat(user("remove", "ann")).startsWith("1 ").contains(file);
        user("add", "--password-file", password, "ann");
        assertThat(user("remove", "bob")).startsWith("2 ").contains("has no user \"bob\"");
        String empty = Files.writeString(folder.resolve("empty"), "").toString();
        assertThat(user("add", "--password-file", empty, "bob"))
                .startsWith("2 ")
                .contains("the password is empty");
        assertThat(user("add", "--password-file", password, "a\tb"))
                .startsWith("2 ")
                .contains("tabs");
        Files.writeString(Path.of(file), "ann\n");
        assertThat(user("list")).startsWith("1 ").contains(file + ":1: ");
    }
}

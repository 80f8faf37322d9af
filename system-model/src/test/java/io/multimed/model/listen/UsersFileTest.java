// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of users. */
class UsersFileTest {
    @TempDir
    private Path folder;

    @Test
    void returnsWhatWasWritten() throws IOException {
        Path file = folder.resolve("users");
        UserLimits limits = new UserLimits(OptionalInt.of(0), OptionalInt.of(7));
        UsersFile users = new UsersFile(List.of(
                new UsersFile.Entry("ann", "v1", true),
                new UsersFile.Entry("bob the second", "v2", false, "shop clerk", UserLimits.NONE),
                new UsersFile.Entry("carol", "v3", true, null, limits),
                new UsersFile.Entry("eve", "v4", true, "auditor", limits)));
        users.write(file);
        assertThat(UsersFile.read(file)).isEqualTo(users);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        new UsersFile(List.of()).write(file);
        assertThat(UsersFile.read(file).users()).isEmpty();
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void namesTheLineThatIsWrong() throws IOException {
        for (String wrong : new String[] {
            "ann",
            "ann\tv\troot",
            "ann\tv\tadministrator\tx",
            "\tv",
            "ann\tv\tmax-clients=",
            "ann\tv\tmax-clients=-1",
            "ann\tv\tmax-statements=1000001",
            "ann\tv\tmax-statements=1\tmax-statements=2"
        }) {
            Path file = Files.writeString(folder.resolve("wrong"), "# comment\n\n" + wrong + "\n");
            assertThatThrownBy(() -> UsersFile.read(file)).as(wrong).hasMessageContaining("wrong:3: ");
        }
        Path twice = Files.writeString(folder.resolve("twice"), "ann\tv\nann\tw\n");
        assertThatThrownBy(() -> UsersFile.read(twice))
                .hasMessageContaining("twice:2: ")
                .hasMessageContaining("ann");
    }

    /** A line break in a name would add a user. */
    @Test
    void refusesNamesThatCouldBeFields() {
        for (String wrong : new String[] {"", " ", "a\tb", "a\nb", "a\rb"}) {
            assertThatThrownBy(() -> new UsersFile.Entry(wrong, "v", false))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}

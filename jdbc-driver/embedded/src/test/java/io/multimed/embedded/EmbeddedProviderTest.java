// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedProviderTest {
    @TempDir
    private Path folder;

    /** The engines' programs are in another artifact. */
    @Test
    void shouldNameTheArtifactThatStartsEngines() throws Exception {
        Path launched = Files.writeString(folder.resolve("launched.yaml"), "nodes:\n- {name: m, role: master}\n");
        assertThatThrownBy(() -> new EmbeddedProvider().connect(launched.toString()))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("m is not external")
                .hasMessageContaining("io.multimed:multimed-cluster")
                .extracting(failure -> ((SQLException) failure).getSQLState())
                .isEqualTo("0A000");
        assertThatThrownBy(() -> new EmbeddedProvider().connect(""))
                .hasMessageContaining("the default model: master is not external");
    }

    @Test
    void shouldAddNodesToAModelWithoutAny() throws Exception {
        Path empty = Files.writeString(folder.resolve("empty.yaml"), "database: shop\n");
        ModelFile.Read read = ModelFile.of(empty.toString()).read();
        assertThat(read.isDefault()).isTrue();
        assertThat(read.model().database()).isEqualTo("shop");
        assertThat(read.model().hasStandbys()).isTrue();
        assertThat(read.model().nodes()).hasSize(3);
        assertThat(ModelFile.of("").read().model().database()).isEqualTo("multimed");
        Path complete = Files.writeString(
                folder.resolve("complete.yaml"), "database: shop\nnodes:\n- {name: m, role: master}\n");
        assertThat(ModelFile.of(complete.toString()).read().isDefault()).isFalse();
    }

    @Test
    void shouldSayWhyAModelIsNotRead() throws Exception {
        assertThatThrownBy(() -> new EmbeddedProvider().database("/nowhere/shop.yaml"))
                .hasMessageContaining("/nowhere/shop.yaml cannot be read")
                .extracting(failure -> ((SQLException) failure).getSQLState())
                .isEqualTo("08001");
        Path wrong = Files.writeString(folder.resolve("wrong.yaml"), "databas: shop\n");
        assertThatThrownBy(() -> new EmbeddedProvider().database(wrong.toString()))
                .hasMessageContaining("databas");
    }
}

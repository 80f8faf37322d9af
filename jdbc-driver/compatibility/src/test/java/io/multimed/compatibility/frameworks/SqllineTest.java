// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.frameworks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import sqlline.SqlLine;

/** Tests sqlline, a shell for any JDBC driver: connects, writes, reads, and shows the DatabaseMetaData. */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
class SqllineTest {
    private static Shop shop;

    private final Idiom idiom;

    SqllineTest(String engine) {
        idiom = Idiom.of(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        shop = Shop.of(engine);
        shop.run("DROP TABLE IF EXISTS item, account");
    }

    private static String run(String... lines) throws IOException {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        SqlLine shell = new SqlLine();
        PrintStream stream = new PrintStream(output, true, UTF_8);
        shell.setOutputStream(stream);
        shell.setErrorStream(stream);
        String script = String.join("\n", lines) + "\n!quit\n";
        shell.begin(
                new String[] {
                    "-u",
                    shop.url(),
                    "-n",
                    "tester",
                    "-p",
                    "x",
                    "-d",
                    "io.multimed.jdbc.MultimedDriver",
                    "--color=false"
                },
                new ByteArrayInputStream(script.getBytes(UTF_8)),
                false);
        return output.toString(UTF_8);
    }

    @Test
    void shouldConnectWriteReadAndDescribe() throws Exception {
        long before = shop.readsOfSatellites();
        String output = run(
                "CREATE TABLE item (id int PRIMARY KEY, title varchar(20));",
                "INSERT INTO item VALUES (1, 'first'), (2, NULL);",
                "SELECT * FROM item ORDER BY id;",
                "!tables",
                "!columns item",
                "!primarykeys item",
                "!dbinfo",
                "SELECT nothing;");
        assertThat(output)
                .containsPattern("getDatabaseProductName\\s+" + idiom.product())
                .containsPattern("getDriverName\\s+Multimed JDBC Driver")
                .contains("2 rows affected")
                .contains("| 1  | first |")
                .containsPattern("item_pkey|PRIMARY")
                .contains("title")
                .contains(idiom.noColumn());
        assertThat(shop.onMaster("SELECT count(*) FROM item")).isEqualTo(2);
        assertThat(shop.readsOfSatellites()).isGreaterThan(before);
    }

    @Test
    void shouldRollBackAndCommit() throws Exception {
        run(
                "CREATE TABLE account (id int PRIMARY KEY);",
                "!autocommit off",
                "INSERT INTO account VALUES (1);",
                "!rollback",
                "INSERT INTO account VALUES (2);",
                "!commit");
        assertThat(shop.onMaster("SELECT sum(id) FROM account")).isEqualTo(2);
    }
}

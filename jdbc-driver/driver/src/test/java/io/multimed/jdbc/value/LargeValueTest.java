// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.OutputStream;
import java.io.StringReader;
import java.io.Writer;
import java.sql.SQLException;
import javax.xml.transform.Source;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMResult;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.sax.SAXResult;
import javax.xml.transform.sax.SAXSource;
import javax.xml.transform.stax.StAXSource;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blob, Clob and SQLXML, which are values in memory. */
class LargeValueTest {
    @Test
    void shouldReadPartsOfABlob() throws Exception {
        JdbcBlob blob = new JdbcBlob("0123456789".getBytes(UTF_8));
        assertThat(blob.getBytes(3, 4)).asString(UTF_8).isEqualTo("2345");
        assertThat(blob.getBytes(9, 9)).as("up to the end").asString(UTF_8).isEqualTo("89");
        assertThat(blob.getBinaryStream(2, 2)).hasContent("12");
        assertThat(blob.position("45".getBytes(UTF_8), 1)).isEqualTo(5);
        assertThat(blob.position("45".getBytes(UTF_8), 6)).isEqualTo(-1);
    }

    @Test
    void shouldWriteIntoABlobAndEnlargeIt() throws Exception {
        JdbcBlob blob = new JdbcBlob("abc".getBytes(UTF_8));
        assertThat(blob.setBytes(3, "XYZ".getBytes(UTF_8), 1, 2)).isEqualTo(2);
        assertThat(blob.getBinaryStream()).hasContent("abYZ");
        try (OutputStream out = blob.setBinaryStream(1)) {
            out.write('!');
            assertThat(blob.getBinaryStream()).as("before the stream is closed").hasContent("abYZ");
        }
        assertThat(blob.getBinaryStream()).hasContent("!bYZ");
        blob.truncate(2);
        assertThat(blob.length()).isEqualTo(2);
    }

    @Test
    void shouldReadAndWriteAClob() throws Exception {
        JdbcClob clob = new JdbcClob("Größe");
        assertThat(clob.length()).isEqualTo(5);
        assertThat(clob.getSubString(3, 2)).isEqualTo("öß");
        assertThat(clob.position("ße", 1)).isEqualTo(4);
        clob.setString(6, "r!");
        try (Writer out = clob.setCharacterStream(1)) {
            out.write("gr");
        }
        assertThat(clob.getSubString(1, 99)).isEqualTo("größer!");
        clob.truncate(3);
        assertThat(clob.getSubString(1, 10)).isEqualTo("grö");
    }

    @Test
    void shouldRefusePositionsAndLengthsOutsideOfTheValue() {
        JdbcClob clob = new JdbcClob("abc");
        assertThatThrownBy(() -> clob.getSubString(0, 1)).hasMessage("LOB positioning offsets start at 1.");
        assertThatThrownBy(() -> clob.getSubString(1, -1)).hasMessage("invalid length -1: it must be at least 0");
        assertThatThrownBy(() -> clob.setString(1, "xyz", 2, 2))
                .hasMessage("cannot write 2 characters from offset 2: there are 3")
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("22023");
        assertThatThrownBy(() -> new JdbcBlob(new byte[1]).setBytes(1, new byte[1], 0, 2))
                .hasMessage("cannot write 2 bytes from offset 0: there are 1");
    }

    @Test
    void shouldBeUnusableAfterFree() {
        JdbcBlob blob = new JdbcBlob(new byte[1]);
        JdbcClob clob = new JdbcClob("a");
        JdbcSqlXml xml = new JdbcSqlXml("<a/>");
        blob.free();
        clob.free();
        xml.free();
        assertThatThrownBy(blob::length).hasMessage("free() was called on this LOB previously");
        assertThatThrownBy(clob::getCharacterStream).hasMessage("free() was called on this LOB previously");
        assertThatThrownBy(xml::getString).hasMessage("This SQLXML object has already been freed.");
    }

    @Test
    void shouldSetAnXmlValueOnce() throws SQLException {
        JdbcSqlXml xml = new JdbcSqlXml();
        assertThatThrownBy(xml::getString).hasMessageContaining("has not been initialized");
        xml.setString("<a/>");
        assertThat(xml.getString()).isEqualTo("<a/>");
        assertThatThrownBy(() -> xml.setString("<b/>"))
                .hasMessageContaining("has already been initialized")
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("55000");
    }

    private static String serialized(Source source) throws Exception {
        StreamResult result = new StreamResult(new java.io.StringWriter());
        TransformerFactory.newInstance().newTransformer().transform(source, result);
        return result.getWriter().toString();
    }

    @ParameterizedTest
    @ValueSource(classes = {DOMSource.class, SAXSource.class, StAXSource.class, StreamSource.class})
    void shouldReadXmlInAllForms(Class<? extends Source> form) throws Exception {
        assertThat(serialized(new JdbcSqlXml("<a>1</a>").getSource(form))).endsWith("<a>1</a>");
    }

    @Test
    void shouldWriteXmlInAllForms() throws Exception {
        for (Class<? extends javax.xml.transform.Result> form :
                java.util.List.of(DOMResult.class, SAXResult.class, StreamResult.class)) {
            JdbcSqlXml xml = new JdbcSqlXml();
            TransformerFactory.newInstance()
                    .newTransformer()
                    .transform(new StreamSource(new StringReader("<a>1</a>")), xml.setResult(form));
            assertThat(xml.getString()).as(form.getSimpleName()).endsWith("<a>1</a>");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {DOMSource.class, SAXSource.class, StAXSource.class})
    void shouldNotResolveExternalEntities(Class<? extends Source> form) {
        String attack = "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/hostname\">]><a>&x;</a>";
        assertThatThrownBy(() -> serialized(new JdbcSqlXml(attack).getSource(form)))
                .as("the entity must not be read, by the driver or by the consumer of its parser")
                .isInstanceOf(Exception.class);
    }

    @Test
    void shouldRefuseTextThatIsNoXml() {
        assertThatThrownBy(() -> new JdbcSqlXml("<a").getSource(DOMSource.class))
                .hasMessage("Unable to decode xml data.")
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("22018");
    }
}

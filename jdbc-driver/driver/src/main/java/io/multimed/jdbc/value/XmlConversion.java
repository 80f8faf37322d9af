// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import io.multimed.jdbc.support.SqlStates;
import java.io.StringReader;
import java.io.StringWriter;
import java.sql.SQLException;
import java.util.function.Supplier;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.parsers.SAXParserFactory;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.transform.Result;
import javax.xml.transform.Source;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMResult;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.sax.SAXResult;
import javax.xml.transform.sax.SAXSource;
import javax.xml.transform.sax.SAXTransformerFactory;
import javax.xml.transform.sax.TransformerHandler;
import javax.xml.transform.stax.StAXResult;
import javax.xml.transform.stax.StAXSource;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.jspecify.annotations.Nullable;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.XMLReader;

/**
 * Converts XML text into the forms of javax.xml.transform, and back. Reads nothing but the text: external entities and
 * DTDs are not resolved.
 */
final class XmlConversion {
    private static final String NO_DOCTYPE = "http://apache.org/xml/features/disallow-doctype-decl";

    private XmlConversion() {}

    /**
     * A form to which the application writes, and the text that results.
     *
     * @param text returns the text; called when everything is written
     */
    record Target<T extends Result>(T result, Supplier<String> text) {}

    /**
     * Returns XML text in one of the forms.
     *
     * @param kind null for a DOM
     * @throws SQLException 22018 if the text is not XML, 22023 if there is no such form
     */
    static <T extends Source> T source(String text, @Nullable Class<T> kind) throws SQLException {
        try {
            return cast(plainSource(text, kind));
        } catch (SAXException | ParserConfigurationException | XMLStreamException | java.io.IOException e) {
            throw new SQLException("Unable to decode xml data.", SqlStates.INVALID_CHARACTER_VALUE, e);
        }
    }

    private static Source plainSource(String text, @Nullable Class<?> kind)
            throws SQLException, SAXException, ParserConfigurationException, XMLStreamException, java.io.IOException {
        if (kind == null || kind == DOMSource.class) {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setNamespaceAware(true);
            factory.setFeature(NO_DOCTYPE, true);
            return new DOMSource(factory.newDocumentBuilder().parse(new InputSource(new StringReader(text))));
        } else if (kind == SAXSource.class) {
            SAXParserFactory factory = SAXParserFactory.newInstance();
            factory.setNamespaceAware(true);
            factory.setFeature(NO_DOCTYPE, true);
            XMLReader reader = factory.newSAXParser().getXMLReader();
            return new SAXSource(reader, new InputSource(new StringReader(text)));
        } else if (kind == StreamSource.class) {
            return new StreamSource(new StringReader(text));
        } else if (kind == StAXSource.class) {
            XMLInputFactory factory = XMLInputFactory.newInstance();
            factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
            return new StAXSource(factory.createXMLStreamReader(new StringReader(text)));
        }
        throw unknown(kind);
    }

    /**
     * Returns a form to write to.
     *
     * @param kind null for a DOM
     * @throws SQLException 22023 if there is no such form
     */
    static <T extends Result> Target<T> target(@Nullable Class<T> kind) throws SQLException {
        try {
            return plainTarget(kind);
        } catch (TransformerException | XMLStreamException e) {
            throw new SQLException("Unable to create a result for SQLXML.", SqlStates.INVALID_CHARACTER_VALUE, e);
        }
    }

    private static <T extends Result> Target<T> plainTarget(@Nullable Class<T> kind)
            throws SQLException, TransformerException, XMLStreamException {
        StringWriter written = new StringWriter();
        if (kind == null || kind == DOMResult.class) {
            DOMResult result = new DOMResult();
            return new Target<>(cast(result), () -> serialize(result));
        } else if (kind == SAXResult.class) {
            TransformerHandler handler = ((SAXTransformerFactory) transformers()).newTransformerHandler();
            handler.setResult(new StreamResult(written));
            return new Target<>(cast(new SAXResult(handler)), written::toString);
        } else if (kind == StreamResult.class) {
            return new Target<>(cast(new StreamResult(written)), written::toString);
        } else if (kind == StAXResult.class) {
            StAXResult result = new StAXResult(XMLOutputFactory.newInstance().createXMLStreamWriter(written));
            return new Target<>(cast(result), written::toString);
        }
        throw unknown(kind);
    }

    private static String serialize(DOMResult result) {
        StringWriter written = new StringWriter();
        try {
            transformers().newTransformer().transform(new DOMSource(result.getNode()), new StreamResult(written));
        } catch (TransformerException e) {
            throw new IllegalStateException("the DOM tree cannot be written as text", e);
        }
        return written.toString();
    }

    /** Returns a factory with secure processing. */
    private static TransformerFactory transformers() throws TransformerException {
        TransformerFactory factory = TransformerFactory.newInstance();
        factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
        return factory;
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // The caller has compared the classes.
    private static <T> T cast(Object form) {
        return (T) form;
    }

    private static SQLException unknown(Class<?> kind) {
        return new SQLException("Unknown XML form %s.".formatted(kind.getName()), SqlStates.INVALID_PARAMETER);
    }
}

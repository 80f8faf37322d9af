// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.classification;

import io.multimed.engine.dialect.CatalogReader;
import io.multimed.engine.sql.Classification;
import io.multimed.server.dispatcher.rights.SessionRights;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * SQL of a client together with its classification. Only this package creates instances, and whatever runs or describes
 * SQL of clients takes an instance and no text: no request can pass its SQL to an engine without a classification
 * (architecture 4.10). Immutable.
 */
public final class ClassifiedText {
    private final List<String> texts;
    private final Classification classification;

    /** @param classification of the texts, which run in sequence */
    ClassifiedText(List<String> texts, Classification classification) {
        this.texts = List.copyOf(texts);
        this.classification = classification;
    }

    public Classification classification() {
        return classification;
    }

    /** Returns the text as that of a client with these rights; {@code readOnly} as in {@link
     * SessionRights#limit(Classification, boolean)}. */
    public ClassifiedText within(SessionRights rights, boolean readOnly) {
        return new ClassifiedText(texts, rights.limit(classification, readOnly));
    }

    /**
     * Passes on the text as that of a client with these rights, after the master's engine has confirmed them for it,
     * see {@link SessionRights#limit(Classification, boolean, String, CatalogReader.Parameters, Consumer)}.
     */
    public void within(
            SessionRights rights,
            boolean readOnly,
            CatalogReader.@Nullable Parameters parameters,
            Consumer<ClassifiedText> then) {
        rights.limit(
                classification,
                readOnly,
                String.join(";", texts),
                parameters,
                limited -> then.accept(new ClassifiedText(texts, limited)));
    }

    /** Returns the text with other names of the session settings that it may change. */
    public ClassifiedText withSettings(UnaryOperator<String> names) {
        return classification.settings().isEmpty()
                ? this
                : new ClassifiedText(
                        texts,
                        classification.withSettings(
                                classification.settings().stream().map(names).collect(Collectors.toSet())));
    }

    /** Returns the text as a part of a batch, see {@link Classification#inBatch}. */
    public ClassifiedText inBatch() {
        return new ClassifiedText(texts, classification.inBatch());
    }

    /**
     * Returns the text.
     *
     * @throws IllegalStateException if the text was refused, or if there are several
     */
    public String sql() {
        if (texts.size() != 1) {
            throw new IllegalStateException("%d texts where one is expected".formatted(texts.size()));
        }
        return texts().get(0);
    }

    /**
     * Returns the texts, in the order in which they run.
     *
     * @throws IllegalStateException if they were refused
     */
    public List<String> texts() {
        if (classification.kind() == Classification.Kind.REFUSED) {
            throw new IllegalStateException("a refused statement must not run: " + classification.refusal());
        }
        return texts;
    }
}

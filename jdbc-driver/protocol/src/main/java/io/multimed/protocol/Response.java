package io.multimed.protocol;

/** What the middleware may answer. */
public sealed interface Response extends Message
        permits Challenge,
                Welcome,
                Executed,
                BatchExecuted,
                Rows,
                Done,
                CatalogAnswer,
                ErrorReport,
                Recalled,
                Described,
                Piece {}

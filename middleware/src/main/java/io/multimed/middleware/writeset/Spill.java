package io.multimed.middleware.writeset;

/**
 * The earlier part of a WriteSet too large for one row: it stays on the master in pieces, which are read one by one when they are applied.
 *
 * @param place which of the master's tables holds them
 * @param transaction the master's own number of the transaction
 * @param pieces how many there are
 * @param mayChangeSchema whether a statement, or a table's new form, may be among the changes
 */
public record Spill(int place, long transaction, int pieces, boolean mayChangeSchema) {}

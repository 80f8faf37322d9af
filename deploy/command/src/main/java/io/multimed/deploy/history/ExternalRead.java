package io.multimed.deploy.history;

/**
 * What a transaction saw of others in a list, if nothing is wrong with it by itself.
 *
 * @param length so many values of the list's order
 * @param first whether it is the transaction's first read of the list: later ones tell of its snapshot only what this one does
 */
record ExternalRead(Transaction by, KeyVersions versions, int length, boolean first) {}

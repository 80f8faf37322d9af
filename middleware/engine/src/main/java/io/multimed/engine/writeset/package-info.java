/**
 * What an update transaction changed, as values: SCN, WriteSet, changes. Knows neither JDBC nor an engine.
 */
@NullMarked
package io.multimed.engine.writeset;

import org.jspecify.annotations.NullMarked;

/** Tables, indexes and their SQL, one folder of .sql files per engine. */
@NullMarked
package io.multimed.tpcw.schema;

import org.jspecify.annotations.NullMarked;

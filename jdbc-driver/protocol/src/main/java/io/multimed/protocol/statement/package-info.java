/** What a request says of the statement that it runs: text, options, transaction mode. */
@NullMarked
package io.multimed.protocol.statement;

import org.jspecify.annotations.NullMarked;

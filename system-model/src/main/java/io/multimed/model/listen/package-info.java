/** The ports of the middleware: addresses, certificate, limits and accounts of clients, and monitoring. */
@NullMarked
package io.multimed.model.listen;

import org.jspecify.annotations.NullMarked;

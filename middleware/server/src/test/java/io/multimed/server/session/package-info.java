/** Tests of the behaviour of sessions through JDBC. */
@NullMarked
package io.multimed.server.session;

import org.jspecify.annotations.NullMarked;

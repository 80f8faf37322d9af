/** What an application sees through JDBC. */
@NullMarked
package io.multimed.server.session;

import org.jspecify.annotations.NullMarked;

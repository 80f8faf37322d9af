/** Schema changes while clients work. */
@NullMarked
package io.multimed.server.ddl;

import org.jspecify.annotations.NullMarked;

/** Random schemas and statements, after which satellites must hold what the master holds, and new clients must find a usual session. Nothing here knows what a statement should do. */
@NullMarked
package io.multimed.middleware.fuzz;

import org.jspecify.annotations.NullMarked;

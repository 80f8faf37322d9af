/** PostgreSQL: its binaries, data folders, settings and server process. */
@NullMarked
package io.multimed.deploy.engine.postgresql;

import org.jspecify.annotations.NullMarked;

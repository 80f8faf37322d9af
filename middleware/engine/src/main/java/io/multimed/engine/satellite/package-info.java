/** The engine's tasks on satellites: seeding, applying WriteSets, comparing copies. */
@NullMarked
package io.multimed.engine.satellite;

import org.jspecify.annotations.NullMarked;

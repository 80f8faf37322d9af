/** Satellites: queues, appliers, seeding, and comparison with the master (paper §3.2.1). */
@NullMarked
package io.multimed.server.propagation.replication;

import org.jspecify.annotations.NullMarked;

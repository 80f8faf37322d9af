/**
 * Faults that really happen: processes killed or stopped, disks full, connections cut. Works on processes that this one started, and on nothing else.
 */
@NullMarked
package io.multimed.deploy.fault;

import org.jspecify.annotations.NullMarked;

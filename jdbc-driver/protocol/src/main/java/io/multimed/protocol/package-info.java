/**
 * What driver and middleware say to each other: a closed set of messages and their binary codec. JDK only.
 */
@NullMarked
package io.multimed.protocol;

import org.jspecify.annotations.NullMarked;

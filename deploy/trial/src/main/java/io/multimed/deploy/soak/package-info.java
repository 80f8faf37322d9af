/** Soak test: a temporary cluster under load with random faults, checked at the end. */
@NullMarked
package io.multimed.deploy.soak;

import org.jspecify.annotations.NullMarked;

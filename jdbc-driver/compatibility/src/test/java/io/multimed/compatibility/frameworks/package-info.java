/** Frameworks on the driver, each with its real library, wired as its users would: what is read, where it was read, what is written. */
package io.multimed.compatibility.frameworks;

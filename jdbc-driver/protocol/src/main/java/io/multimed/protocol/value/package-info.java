/** Values of parameters and rows, their columns, and the fields of errors, with their encoding. */
@NullMarked
package io.multimed.protocol.value;

import org.jspecify.annotations.NullMarked;

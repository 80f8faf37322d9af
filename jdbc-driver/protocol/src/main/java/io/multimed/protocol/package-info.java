// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/**
 * The protocol between driver and middleware: frames that contain messages, and the login. {@code request} and {@code
 * response} contain the closed sets of messages; {@code value}, {@code statement} and {@code session} the parts that
 * messages carry; {@code wire} the binary encoding. Depends on the JDK only.
 */
@NullMarked
package io.multimed.protocol;

import org.jspecify.annotations.NullMarked;

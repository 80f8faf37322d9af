// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

/** A call of a JDBC object whose outcome is compared: the returned value or the exception. */
@FunctionalInterface
interface Call<T> {
    Object on(T subject) throws Exception;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

/** A call of a JDBC object that returns nothing. */
@FunctionalInterface
interface Step<T> {
    void on(T subject) throws Exception;

    /** Returns a call with an outcome: that the step has succeeded, or the exception. */
    static <T> Call<T> call(Step<T> step) {
        return subject -> {
            step.on(subject);
            return "done";
        };
    }
}

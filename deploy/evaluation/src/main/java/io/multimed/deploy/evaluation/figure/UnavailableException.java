// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.figure;

/** Reports that this machine cannot measure a figure. The message says what is missing, and what to do. */
public final class UnavailableException extends Exception {
    public UnavailableException(String message) {
        super(message);
    }
}

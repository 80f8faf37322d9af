// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.value;

/** A password. {@link #toString} hides the text, so that no log or message shows the password by accident. */
public final class Secret {
    /** The empty password of engines that require none. */
    public static final Secret NONE = new Secret("");

    private final String text;

    public Secret(String text) {
        this.text = text;
    }

    /** Returns the text of the password. */
    public String reveal() {
        return text;
    }

    @Override
    public String toString() {
        return "********";
    }
}

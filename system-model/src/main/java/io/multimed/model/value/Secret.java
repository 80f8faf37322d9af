package io.multimed.model.value;

/** A password. Its text is asked for by name, so that no log or message shows it by accident. */
public final class Secret {
    public static final Secret NONE = new Secret("");

    private final String text;

    public Secret(String text) {
        this.text = text;
    }

    public String reveal() {
        return text;
    }

    @Override
    public String toString() {
        return "********";
    }
}

package io.multimed.middleware.node.engine.mysql;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tools that take all variables of a session away, as Flyway does, find Multimed's among them: those stay. */
final class ForgottenVariables {
    private static final String OURS = "@multimed_";
    private static final String ONE = "@[\\w$.]+\\s*=\\s*NULL";
    private static final Pattern FORM =
            Pattern.compile("\\s*SET\\s+(%1$s(?:\\s*,\\s*%1$s)*)\\s*;?\\s*".formatted(ONE), Pattern.CASE_INSENSITIVE);

    /** A regular expression needs stack for each variable. */
    private static final int LONGEST = 20_000;

    private ForgottenVariables() {}

    /** The text without them, if it does nothing but take variables away, others among them; else the text. */
    static String kept(String sql) {
        if (!sql.contains(OURS) || sql.length() > LONGEST) {
            return sql;
        }
        Matcher form = FORM.matcher(sql);
        if (!form.matches()) {
            return sql;
        }
        List<String> clients = Arrays.stream(form.group(1).split(",", -1))
                .map(String::strip)
                .filter(one -> !one.toLowerCase(Locale.ROOT).startsWith(OURS))
                .toList();
        return clients.isEmpty() ? sql : "SET " + String.join(", ", clients);
    }
}

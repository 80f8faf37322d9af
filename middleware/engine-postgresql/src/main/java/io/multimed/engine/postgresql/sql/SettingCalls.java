// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import io.multimed.engine.sql.Classification;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the custom settings ({@code app.tenant}) that a text may give to the session, because the engine lists no
 * custom settings: by calls of set_config, and by SET in the bodies of functions and of DO. Settings of the transaction
 * do not count.
 */
final class SettingCalls {
    private static final Pattern CALL = Pattern.compile("\"?set_config\"?\\s*\\(", Pattern.CASE_INSENSITIVE);
    private static final Pattern LITERAL =
            Pattern.compile("'([^'\\\\]*)'(?:\\s*::\\s*[a-z]+)?", Pattern.CASE_INSENSITIVE);
    private static final Pattern TRUE = Pattern.compile("true|'t(rue)?'|'?1'?", Pattern.CASE_INSENSITIVE);

    /** Stands where a statement of a body begins, or a string that may be executed. */
    private static final String BEGIN = "(?:^|[;'$]|\\b(?:begin|then|else|loop|as)\\b)\\s*set\\s+(?:session\\s+)?";

    private static final Pattern SET = Pattern.compile(
            BEGIN + "\"?([a-z_][a-z0-9_$]*)\"?\\s*\\.\\s*\"?([a-z_][a-z0-9_$]*)\"?", Pattern.CASE_INSENSITIVE);

    /**
     * Default modes of transactions. The engine's driver changes them, too, so that their values do not show who has
     * changed them.
     */
    private static final Pattern SET_DEFAULT = Pattern.compile(
            BEGIN + "(?:\"?default_transaction_(?:isolation|read_only)|session\\s+characteristics|characteristics)\\b",
            Pattern.CASE_INSENSITIVE);

    /** The name is computed, for the text of EXECUTE. */
    private static final Pattern SET_UNKNOWN = Pattern.compile(BEGIN + "(?:['%]|$)", Pattern.CASE_INSENSITIVE);

    private static final Set<String> DEFAULT_MODES =
            Set.of("default_transaction_isolation", "default_transaction_read_only");

    private SettingCalls() {}

    /**
     * Returns the custom settings that calls of set_config name; {@link Classification#ANY_SETTING} for names that the
     * text does not show.
     *
     * @param expected whether the text is known to call the function
     */
    static Set<String> inCalls(String text, boolean expected) {
        Set<String> settings = new HashSet<>();
        Matcher call = CALL.matcher(text);
        boolean any = false;
        while (call.find()) {
            any = true;
            settings.addAll(ofCall(arguments(text, call.end())));
        }
        return any || !expected ? settings : Set.of(Classification.ANY_SETTING);
    }

    /** Returns the settings of the body of a function, or of DO. */
    static Set<String> inBody(String text) {
        Set<String> settings = new HashSet<>(inCalls(text, false));
        Matcher set = SET.matcher(text);
        while (set.find()) {
            settings.add((set.group(1) + '.' + set.group(2)).toLowerCase(Locale.ROOT));
        }
        if (SET_UNKNOWN.matcher(text).find() || SET_DEFAULT.matcher(text).find()) {
            settings.add(Classification.ANY_SETTING);
        }
        return settings;
    }

    /** A name without a dot is that of a setting which the engine lists. */
    private static Set<String> ofCall(List<String> arguments) {
        if (arguments.size() == 3 && TRUE.matcher(arguments.get(2)).matches()) {
            return Set.of();
        }
        Matcher name = LITERAL.matcher(arguments.isEmpty() ? "" : arguments.get(0));
        if (arguments.size() != 3 || !name.matches()) {
            return Set.of(Classification.ANY_SETTING);
        }
        String setting = name.group(1).toLowerCase(Locale.ROOT);
        if (DEFAULT_MODES.contains(setting)) {
            return Set.of(Classification.ANY_SETTING);
        }
        return setting.contains(".") ? Set.of(setting) : Set.of();
    }

    /** Returns the arguments of a call; nothing if the call has no end. */
    private static List<String> arguments(String text, int from) {
        List<String> arguments = new ArrayList<>();
        int depth = 0;
        boolean quoted = false;
        int begin = from;
        for (int i = from; i < text.length(); i++) {
            char now = text.charAt(i);
            quoted ^= now == '\'';
            if (!quoted && depth == 0 && (now == ',' || now == ')')) {
                arguments.add(text.substring(begin, i).strip());
                begin = i + 1;
            }
            if (!quoted && now == ')' && depth == 0) {
                return arguments;
            }
            depth += quoted ? 0 : now == '(' ? 1 : now == ')' ? -1 : 0;
        }
        return List.of();
    }
}

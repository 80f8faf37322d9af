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
    private static final Pattern NAMED = Pattern.compile("\\bset_config\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern LITERAL =
            Pattern.compile("'([^'\\\\]*)'(?:\\s*::\\s*[a-z]+)?", Pattern.CASE_INSENSITIVE);
    /** The name of a setting, or a part of it. */
    private static final String PART = "(?:\"[^\"]++\"|[\\p{L}_][\\p{L}\\p{N}_$]*+)";

    private static final Pattern TRUE = Pattern.compile("true|'t(rue)?'|'?1'?", Pattern.CASE_INSENSITIVE);

    /** Stands where a statement of a body begins, or a string that may be executed. */
    private static final String BEGIN = "(?:^|[;'$]|\\b(?:begin|then|else|loop|as)\\b)\\s*set\\s+(?:session\\s+)?";

    private static final Pattern SET =
            Pattern.compile(BEGIN + "(" + PART + "(?:\\s*\\.\\s*" + PART + ")*+)", Pattern.CASE_INSENSITIVE);

    /**
     * Default modes of transactions, and the seed of random(). The engine's driver changes the modes, too, so that
     * their values do not show who has changed them. The engine does not list the seed, which remains after the
     * transaction.
     */
    private static final Pattern SET_UNLISTED = Pattern.compile(
            BEGIN
                    + "(?:\"?default_transaction_(?:isolation|read_only)|session\\s+characteristics|characteristics|(?:local\\s+)?\"?seed)\\b",
            Pattern.CASE_INSENSITIVE);

    /** The name, or a part of it, is computed, for the text of EXECUTE. */
    private static final Pattern SET_UNKNOWN =
            Pattern.compile(BEGIN + "(?:[\\p{L}\\p{N}_$\"]+\\s*\\.\\s*)*(?:['%]|$)", Pattern.CASE_INSENSITIVE);

    private static final String SEED = "seed";

    /** Settings whose values do not show that a statement has changed them. */
    private static final Set<String> UNLISTED =
            Set.of("default_transaction_isolation", "default_transaction_read_only", SEED);

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
            String name = set.group(1).replaceAll("[\\s\"]", "");
            if (name.contains(".")) {
                settings.add(name.toLowerCase(Locale.ROOT));
            }
        }
        if (SET_UNKNOWN.matcher(text).find() || SET_UNLISTED.matcher(text).find()) {
            settings.add(Classification.ANY_SETTING);
        }
        return settings;
    }

    /** Returns whether a text contains set_config other than in calls for the transaction. */
    static boolean isForSession(String text) {
        Matcher named = NAMED.matcher(text);
        long calls = CALL.matcher(text)
                .results()
                .filter(call -> isForTransaction(arguments(text, call.end())))
                .count();
        return named.results().count() > calls;
    }

    private static boolean isForTransaction(List<String> arguments) {
        return arguments.size() == 3 && TRUE.matcher(arguments.get(2)).matches();
    }

    /** A name without a dot is that of a setting which the engine lists. */
    private static Set<String> ofCall(List<String> arguments) {
        Matcher name = LITERAL.matcher(arguments.isEmpty() ? "" : arguments.get(0));
        String setting = name.matches() ? name.group(1).toLowerCase(Locale.ROOT) : "";
        if (isForTransaction(arguments) && !setting.equals(SEED)) {
            return Set.of();
        }
        if (arguments.size() != 3 || setting.isEmpty()) {
            return Set.of(Classification.ANY_SETTING);
        }
        if (UNLISTED.contains(setting)) {
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import io.multimed.engine.sql.Classification;
import io.multimed.engine.sql.SqlText;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses optimizer hints that set variables on which Multimed depends. MySQL sets them for one statement, which may be
 * in the body of a routine.
 */
final class HintedSettings {
    private static final String HINT = "/*+";

    /**
     * After a statement with a hint, the engine takes 0 as the next generated key, which would be an SCN. A query for
     * the last inserted row has another answer on another connection. MySQL lists the temporary tables of InnoDB only.
     */
    private static final Pattern REFUSED = Pattern.compile(
            "(?is)SET_VAR\\s*\\(\\s*[`\"']?(?:insert_id|sql_auto_is_null|default_tmp_storage_engine)\\b");

    private HintedSettings() {}

    /** Returns the refusal of a statement; null if the statement contains no such hint. */
    static @Nullable Classification refusal(SqlText statement) {
        String text = statement.whole();
        int begin = text.indexOf(HINT);
        return begin >= 0 && REFUSED.matcher(text).region(begin, text.length()).find()
                ? Classification.refused(
                        "insert_id, sql_auto_is_null and default_tmp_storage_engine cannot be set by hints through Multimed, which numbers the commits by generated keys, and runs statements in several sessions: omit the hint")
                : null;
    }
}

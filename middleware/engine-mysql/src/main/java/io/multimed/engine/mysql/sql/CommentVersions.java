// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Determines which executable comments, such as those that begin with {@code /*!50700}, an engine executes. */
@FunctionalInterface
interface CommentVersions {
    /** The reading in which every executable comment is executed. */
    CommentVersions ALL = (mariaDbs, version) -> true;

    /** The reading in which none is executed. */
    CommentVersions NONE = (mariaDbs, version) -> false;

    /** From this version on, some supported engines do not execute the comment. */
    int NOT_BY_ALL = 50_700;

    /** MariaDB does not execute comments for the versions from {@link #NOT_BY_ALL} up to this one. */
    int LAST_OF_MYSQL = 99_999;

    /** The beginning of an executable comment: the mark of MariaDB, and the version. */
    Pattern COMMENT = Pattern.compile("/\\*(M?)!(\\d{0,6})");

    /** Minimum number of digits of a version; fewer digits belong to the content. */
    int SHORTEST = 5;

    /** Maximum number of versions, which bounds the number of readings of a text. */
    int MAX_VERSIONS = 8;

    /**
     * Returns whether the engine executes a comment.
     *
     * @param mariaDbs whether the comment is for MariaDB only
     * @param version 0 if the comment names none
     */
    boolean executes(boolean mariaDbs, int version);

    /**
     * Returns engines such that each possible reading of the text is that of at least one of these engines; empty if
     * the text names too many versions.
     */
    static List<CommentVersions> possible(String sql) {
        SortedSet<Integer> versions = new TreeSet<>();
        versions.add(0);
        Matcher comment = COMMENT.matcher(sql);
        while (comment.find()) {
            String digits = comment.group(2);
            versions.add(digits.length() < SHORTEST ? 0 : Integer.parseInt(digits));
        }
        List<CommentVersions> engines = new ArrayList<>();
        if (versions.size() <= MAX_VERSIONS) {
            engines.add(NONE);
            versions.forEach(version -> engines.add(mySql(version)));
            versions.forEach(version -> engines.add(mariaDb(version)));
        }
        return engines;
    }

    private static CommentVersions mySql(int own) {
        return (mariaDbs, version) -> !mariaDbs && version <= own;
    }

    private static CommentVersions mariaDb(int own) {
        return (mariaDbs, version) -> version <= own && (mariaDbs || version < NOT_BY_ALL || version > LAST_OF_MYSQL);
    }
}

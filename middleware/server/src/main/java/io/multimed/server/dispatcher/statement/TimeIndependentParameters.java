// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import io.multimed.engine.sql.FootprintReader;
import io.multimed.protocol.value.Parameter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalTime;
import java.time.OffsetTime;
import java.time.temporal.Temporal;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;

/** Parameters with which a statement has the same result at any time, as long as its rows are the same. */
public final class TimeIndependentParameters {
    /** Longer texts are no times in any engine's format. */
    private static final int MAX_TIME_LENGTH = 256;

    private static final Pattern BLANKS = Pattern.compile("\\s+");

    private TimeIndependentParameters() {}

    /** Returns whether no parameter can stand for the present time. */
    public static boolean areAll(List<Parameter> parameters) {
        return parameters.stream().allMatch(TimeIndependentParameters::isTimeIndependent);
    }

    /** To compare times of day, an engine may add the current date, or its offset. */
    private static boolean isTimeIndependent(Parameter parameter) {
        Object value = parameter.value();
        if (value instanceof String text) {
            return !isTime(text);
        }
        return value == null
                || value instanceof Integer
                || value instanceof Long
                || value instanceof Short
                || value instanceof Boolean
                || value instanceof BigDecimal
                || value instanceof BigInteger
                || value instanceof Double
                || value instanceof Float
                || value instanceof UUID
                || (value instanceof Temporal && !(value instanceof LocalTime) && !(value instanceof OffsetTime));
    }

    /** Returns whether an engine may take a text for a time that depends on the current one. Blanks do not count. */
    private static boolean isTime(String text) {
        String compact = text.length() > MAX_TIME_LENGTH ? BLANKS.matcher(text).replaceAll(" ") : text;
        return compact.length() <= MAX_TIME_LENGTH && FootprintReader.mayBeCurrentTime(compact);
    }
}

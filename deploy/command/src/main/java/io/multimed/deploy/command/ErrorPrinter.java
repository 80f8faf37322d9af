// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import io.multimed.model.ModelException;
import io.multimed.model.yaml.Problem;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.sql.SQLException;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/**
 * Prints the message of a failed command, because a stack trace does not help an operator. The stack trace is logged at
 * level DEBUG. The exit code is 2 for wrong input, otherwise 1.
 */
public final class ErrorPrinter implements IExecutionExceptionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ErrorPrinter.class);

    /** Exit code for wrong options and invalid models. */
    static final int WRONG_INPUT = 2;

    /**
     * Prints all problems of an invalid model, and the SQLState of an SQL error.
     *
     * @return the exit code
     */
    @Override
    public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
        LOG.debug("failed", failure);
        PrintWriter err = command.getErr();
        if (failure instanceof ModelException model) {
            for (Problem problem : model.problems()) {
                err.println(problem);
            }
            return WRONG_INPUT;
        }
        if (failure instanceof SQLException sql) {
            err.println(withCauses(sql));
            err.println("SQLState " + sql.getSQLState());
        } else {
            err.println(message(failure));
        }
        return failure instanceof IllegalArgumentException ? WRONG_INPUT : 1;
    }

    /**
     * Returns the message and appends the messages of causes that are not part of the message already, because some
     * drivers only state that an operation failed.
     */
    static String withCauses(SQLException failure) {
        StringBuilder text = new StringBuilder(String.valueOf(failure.getMessage()));
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            String reason =
                    Objects.toString(cause.getMessage(), cause.getClass().getSimpleName());
            if (text.indexOf(reason) < 0) {
                text.append(" (").append(reason).append(')');
            }
        }
        return text.toString();
    }

    /** Returns the message, with a reason for exceptions whose message is only the name of a file. */
    private static String message(Exception failure) {
        if (failure instanceof NoSuchFileException missing) {
            return "%s: no such file or folder".formatted(missing.getFile());
        }
        if (failure instanceof AccessDeniedException denied) {
            return "%s: permission denied".formatted(denied.getFile());
        }
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }
}

package io.multimed.deploy.command;

import io.multimed.model.ModelException;
import io.multimed.model.Problem;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Says what went wrong in words; the stack trace is for the log at level DEBUG. */
public final class PlainErrors implements IExecutionExceptionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(PlainErrors.class);
    static final int WRONG_INPUT = 2;

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
            err.println(sql.getMessage());
            err.println("SQLState " + sql.getSQLState());
        } else {
            err.println(message(failure));
        }
        return failure instanceof IllegalArgumentException ? WRONG_INPUT : 1;
    }

    /** Adds the reason to exceptions whose message is only the name of a file. */
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.postgresql;

import io.multimed.deploy.launcher.ServerUser;
import io.multimed.deploy.launcher.machine.EngineException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Copies the files of a running server on the same machine, as pg_basebackup does over a connection, which the embedded
 * binaries lack: pg_backup_start, the files, pg_backup_stop. The log from the first to the second call, which the copy
 * needs, is read from the server afterwards.
 */
final class BaseCopy {
    /** Folders whose content belongs to the running server only; each server requires the folders themselves. */
    private static final Set<String> WITHOUT_CONTENT = Set.of(
            "pg_dynshmem",
            "pg_notify",
            "pg_replslot",
            "pg_serial",
            "pg_snapshots",
            "pg_stat_tmp",
            "pg_subtrans",
            "pg_wal");

    private static final Set<String> OMITTED = Set.of(
            "postmaster.pid", "postmaster.opts", "backup_label", "tablespace_map", "standby.signal", "recovery.signal");

    /** Begins the names of temporary files, and of a cache that the server creates again. */
    private static final Set<String> OMITTED_ANYWHERE = Set.of("pgsql_tmp", "pg_internal.init");

    private final Connection primary;
    private final Path target;
    private final ServerUser user;

    /**
     * @param primary a connection as a superuser, in auto-commit; its session runs the backup
     * @param target an empty folder
     * @param user the owner of the copied files
     */
    BaseCopy(Connection primary, Path target, ServerUser user) {
        this.primary = primary;
        this.target = target;
        this.user = user;
    }

    /** Makes the copy. A server that starts on it, with standby.signal, is a standby of the primary. */
    void make() throws SQLException, IOException {
        boolean renamed = primary.getMetaData().getDatabaseMajorVersion() >= 15;
        Path source;
        try (Statement statement = primary.createStatement()) {
            source = Path.of(text(statement, "SHOW data_directory"));
            if (!text(statement, "SELECT count(*) FROM pg_tablespace WHERE oid >= 16384")
                    .equals("0")) {
                throw new EngineException(
                        "a standby cannot be made by Multimed, because the master has tablespaces: make the standby by pg_basebackup, and name it with source: external");
            }
            statement.execute(
                    renamed
                            ? "SELECT pg_backup_start('Multimed: standby', true)"
                            : "SELECT pg_start_backup('Multimed: standby', true, false)");
        }
        Files.walkFileTree(source, new Copying(source));
        try (PreparedStatement stop = primary.prepareStatement(
                        renamed
                                ? "SELECT labelfile FROM pg_backup_stop(false)"
                                : "SELECT labelfile FROM pg_stop_backup(false, false)");
                ResultSet row = stop.executeQuery()) {
            row.next();
            user.write(target.resolve("backup_label"), row.getString(1));
        }
        user.write(target.resolve(PostgresStandby.SIGNAL), "");
    }

    private static String text(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    /** Copies files while the server changes, creates and removes them: the log repairs what is inconsistent. */
    private final class Copying extends SimpleFileVisitor<Path> {
        private final Path source;

        Copying(Path source) {
            this.source = source;
        }

        private Path copied(Path path) {
            return target.resolve(source.relativize(path).toString());
        }

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
            if (isOmitted(folder)) {
                return FileVisitResult.SKIP_SUBTREE;
            }
            Path copy = copied(folder);
            if (!folder.equals(source)) {
                Files.createDirectory(copy);
                user.give(copy);
            }
            if (!WITHOUT_CONTENT.contains(source.relativize(folder).toString())) {
                return FileVisitResult.CONTINUE;
            }
            if (copy.endsWith("pg_wal")) {
                Path archive = Files.createDirectory(copy.resolve("archive_status"));
                user.give(archive);
            }
            return FileVisitResult.SKIP_SUBTREE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            boolean top = source.equals(file.getParent());
            if (!isOmitted(file)
                    && attributes.isRegularFile()
                    && !(top && OMITTED.contains(file.getFileName().toString()))) {
                try {
                    Path copy = Files.copy(file, copied(file), LinkOption.NOFOLLOW_LINKS);
                    user.giveFile(copy);
                } catch (NoSuchFileException e) {
                    return FileVisitResult.CONTINUE; // dropped meanwhile, which the log repeats
                }
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
            if (failure != null && !(failure instanceof NoSuchFileException)) {
                throw failure;
            }
            return FileVisitResult.CONTINUE;
        }

        private static boolean isOmitted(Path path) {
            String name = path.getFileName().toString();
            return OMITTED_ANYWHERE.stream().anyMatch(name::startsWith);
        }
    }
}

package io.multimed.engine.extraction;

import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The extractor of one transaction, which commits only if its certification permits it.
 *
 * @param plain the extractor of the master
 */
public record CertifyingExtractor(WriteSetExtractor plain, Certification certification) implements WriteSetExtractor {
    /** Reads the overwritten rows before the transaction joins the order, because they may be many. */
    @Override
    public boolean prepareCommit(Connection open) throws SQLException {
        boolean mustSeal = plain.prepareCommit(open);
        plain.tellOverwritten(open, certification);
        return mustSeal;
    }

    @Override
    public boolean preparesAlways() {
        return true;
    }

    @Override
    public Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt) throws SQLException {
        return plain.sealCertified(open, receipt, certification);
    }

    @Override
    public Optional<PiggybackCommit> piggybackCommit() {
        return Optional.empty();
    }

    @Override
    public Optional<SharedCommit> sharedCommit() {
        return plain.sharedCommit();
    }

    @Override
    public boolean commitsAreDurable() {
        return plain.commitsAreDurable();
    }
}

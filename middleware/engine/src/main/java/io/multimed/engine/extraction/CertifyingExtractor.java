// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.extraction;

import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The extractor of one transaction, which commits only if its certification permits it. Used by one thread at a time.
 */
public final class CertifyingExtractor implements WriteSetExtractor {
    private final WriteSetExtractor plain;
    private final Certification certification;
    private boolean told;

    /** @param plain the extractor of the master */
    public CertifyingExtractor(WriteSetExtractor plain, Certification certification) {
        this.plain = plain;
        this.certification = certification;
    }

    /** Tells the overwritten rows before the transaction joins the order, because they may be many. */
    @Override
    public boolean prepareCommit(Connection open) throws SQLException {
        boolean mustSeal = plain.prepareCommit(open);
        plain.reportOverwritten(open, certification);
        told = true;
        return mustSeal;
    }

    @Override
    public boolean mayRunCode() {
        return plain.mayRunCode();
    }

    @Override
    public boolean mustPrepare(long rows) {
        return plain.mustPrepare(rows);
    }

    @Override
    public Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt) throws SQLException {
        return plain.sealCertified(open, receipt, certification, told);
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

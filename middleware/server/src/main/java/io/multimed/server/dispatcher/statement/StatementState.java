// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

/**
 * What one client's session keeps for its statements. Used by one thread at a time, except for {@code cancellation}.
 *
 * @param slots the prepared statements that the client names by number
 * @param cursors the result sets that are not read to their end
 * @param uploads the large parameters that were sent ahead of their statement
 * @param large the large values of the last result
 * @param lastKey the key that the client's last insert generated
 * @param cancellation cancels the request that is handled; called by any thread
 */
public record StatementState(
        StatementSlots slots,
        OpenCursors cursors,
        UploadedValues uploads,
        LargeResults large,
        LastGeneratedKey lastKey,
        Cancellation cancellation) {}

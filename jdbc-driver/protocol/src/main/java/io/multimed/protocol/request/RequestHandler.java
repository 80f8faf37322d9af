// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

/**
 * Handles requests, with one method for each kind. The methods return nothing: an implementation may send the reply
 * later, from another thread.
 */
public interface RequestHandler {
    void hello(Hello request);

    void proof(Proof request);

    void clearPassword(ClearPassword request);

    void execute(Execute request);

    void executeBatch(ExecuteBatch request);

    void executeScript(ExecuteScript request);

    void fetch(Fetch request);

    void closeCursor(CloseCursor request);

    void commit(Commit request);

    void rollback(Rollback request);

    void savepoint(SavepointRequest request);

    void catalogCall(CatalogCall request);

    void ping(Ping request);

    void cancel(Cancel request);

    void goodbye(Goodbye request);

    void queryOutcome(QueryOutcome request);

    void describe(Describe request);

    void upload(Upload request);

    void download(Download request);

    void traced(Traced request);
}

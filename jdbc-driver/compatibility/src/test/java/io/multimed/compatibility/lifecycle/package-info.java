/** What becomes of connections, statements and results when something happens beside them: a commit, a cancel, a master that gives no answer. */
package io.multimed.compatibility.lifecycle;

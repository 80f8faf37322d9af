/** Tests connections, statements and results during other events: a commit, a cancel, a silent master. */
package io.multimed.compatibility.lifecycle;

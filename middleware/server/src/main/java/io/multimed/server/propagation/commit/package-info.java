/** The commit order of the master: groups, durability, publishing, certification, transactions that bypass the middleware (paper §3.2). */
@NullMarked
package io.multimed.server.propagation.commit;

import org.jspecify.annotations.NullMarked;

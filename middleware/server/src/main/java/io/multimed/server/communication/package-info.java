/**
 * The asynchronous server (paper §3.3.4): MINA acceptor, frames, authentication, one session per connection. Knows no SQL.
 */
@NullMarked
package io.multimed.server.communication;

import org.jspecify.annotations.NullMarked;

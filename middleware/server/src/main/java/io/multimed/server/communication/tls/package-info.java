// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** TLS on the client port: the certificate, and the filter that recognizes and decrypts TLS. */
@NullMarked
package io.multimed.server.communication.tls;

import org.jspecify.annotations.NullMarked;

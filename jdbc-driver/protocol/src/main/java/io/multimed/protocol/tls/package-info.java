// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
/** TLS: certificates and keys in files, and the binding of a login to the certificate of the middleware. */
@NullMarked
package io.multimed.protocol.tls;

import org.jspecify.annotations.NullMarked;

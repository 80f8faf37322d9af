// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

/**
 * A subcommand of {@code multimed} from another module. The implementation is a picocli command with a public
 * constructor without parameters, found with {@link java.util.ServiceLoader}.
 */
public interface Subcommand {}

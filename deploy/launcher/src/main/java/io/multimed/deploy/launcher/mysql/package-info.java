/** MySQL servers, from an installation. */
@NullMarked
package io.multimed.deploy.launcher.mysql;

import org.jspecify.annotations.NullMarked;

/** MariaDB servers, from the embedded binaries or an installation. */
@NullMarked
package io.multimed.deploy.launcher.mariadb;

import org.jspecify.annotations.NullMarked;

/** Common parts of the launchers for MariaDB and MySQL. */
@NullMarked
package io.multimed.deploy.launcher.mysqlfamily;

import org.jspecify.annotations.NullMarked;

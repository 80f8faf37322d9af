/** MySQL servers, from an installation. */
@NullMarked
package io.multimed.deploy.engine.mysql;

import org.jspecify.annotations.NullMarked;

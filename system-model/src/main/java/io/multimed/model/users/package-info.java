/** The file of users beside the System Model. */
@NullMarked
package io.multimed.model.users;

import org.jspecify.annotations.NullMarked;

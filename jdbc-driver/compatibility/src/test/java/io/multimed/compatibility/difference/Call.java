package io.multimed.compatibility.difference;

/** Something done to an object of JDBC whose outcome is compared: what it returns or throws. */
@FunctionalInterface
interface Call<T> {
    Object on(T subject) throws Exception;
}

package io.multimed.deploy.fault;

/** What a fault did, until it is healed. Healing again does nothing. */
@FunctionalInterface
public interface InjectedFault extends AutoCloseable {
    /** Makes it good: what is dead is started again, what is stopped goes on. Returns when the process answers, not when the system has recovered. */
    void heal();

    @Override
    default void close() {
        heal();
    }
}

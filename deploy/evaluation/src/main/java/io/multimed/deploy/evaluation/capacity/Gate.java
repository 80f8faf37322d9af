package io.multimed.deploy.evaluation.capacity;

import java.util.concurrent.TimeUnit;

/** Lets a known number of clients work, or makes them wait between two interactions. It is closed in the beginning. */
final class Gate {
    private final int clients;
    private int waiting;
    private boolean isOpen;
    private boolean isEnded;

    Gate(int clients) {
        this.clients = clients;
    }

    /** Waits while the gate is closed, and returns false if the client has to end. */
    synchronized boolean pass() throws InterruptedException {
        waiting++;
        notifyAll();
        try {
            while (!isOpen && !isEnded) {
                wait();
            }
        } finally {
            waiting--;
        }
        return !isEnded;
    }

    synchronized void open() {
        isOpen = true;
        notifyAll();
    }

    /** Closes the gate, and returns whether all clients wait there within some seconds. */
    synchronized boolean close(int seconds) throws InterruptedException {
        isOpen = false;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (waiting < clients) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return true;
    }

    /** Lets all clients end. */
    synchronized void end() {
        isEnded = true;
        notifyAll();
    }

    synchronized boolean isEnded() {
        return isEnded;
    }

    /** Waits some milliseconds, or until the clients have to end. */
    synchronized void pause(long millis) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        long left = millis;
        while (!isEnded && left > 0) {
            wait(left);
            left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        }
    }
}

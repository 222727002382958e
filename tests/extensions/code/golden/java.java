package org.example.store;

import java.util.Map;

/** Keeps values by key. */
@Deprecated
public final class Store<K, V> implements Iterable<V> {
    private static final int LIMIT = 100;
    private final Map<K, V> values;

    /** Makes a store of what is there. */
    public Store(Map<K, V> values) {
        this.values = Map.copyOf(values);
    }

    @Override
    public java.util.Iterator<V> iterator() {
        return values.values().stream().limit(LIMIT).iterator();
    }

    private enum State { OPEN, CLOSED, BROKEN; boolean isOpen() { return this == OPEN; } }
}

interface Listener { void changed(String key, Object before, Object after); }

record Point(int x, int y) { double length() { return Math.sqrt(x * x + y * y); } }

/** A value that components follow: they are rendered again when it is set. */
import { useSyncExternalStore } from "react";

export function observed<T>(first: T) {
  const listeners = new Set<() => void>();
  let value = first;
  const read = (): T => value;
  /** @returns a function that ends the subscription */
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    read,
    subscribe,
    set(next: T): void {
      value = next;
      for (const listener of listeners) listener();
    },
    use: (): T => useSyncExternalStore(subscribe, read),
  };
}

import { once, type StoreBackend } from "../../src/index.ts";

/** The same backend, under keys that start with `base`. */
export function withBase(backend: StoreBackend, base: string): StoreBackend {
  const { take, sweep, close } = backend;
  return {
    name: backend.name,
    guarantees: backend.guarantees,
    atomic: backend.atomic,
    get: (key) => backend.get(base + key),
    put: (key, value, expires) => backend.put(base + key, value, expires),
    putIfAbsent: (key, value, expires) => backend.putIfAbsent(base + key, value, expires),
    ...(take && { take: (key: string) => take.call(backend, base + key) }),
    compareAndSet: (key, expected, value, expires) =>
      backend.compareAndSet(base + key, expected, value, expires),
    increment: (key, by, expires) => backend.increment(base + key, by, expires),
    delete: (key) => backend.delete(base + key),
    async scan(prefix, options) {
      const page = await backend.scan(base + prefix, options);
      return { ...page, keys: page.keys.map((key) => key.slice(base.length)) };
    },
    ...(sweep && { sweep: (limit: number) => sweep.call(backend, limit) }),
    ...(close && { close: () => close.call(backend) }),
  };
}

/** What is known of a backend before it can be made. */
export type BackendFacts = Pick<StoreBackend, "name" | "guarantees" | "atomic">;

/** A backend, with a `take` of its own, that is made when it is first used. */
export function lazily(facts: BackendFacts, make: () => Promise<StoreBackend>): StoreBackend {
  const use = once(make);
  return {
    ...facts,
    get: async (key) => (await use()).get(key),
    put: async (key, value, expires) => (await use()).put(key, value, expires),
    putIfAbsent: async (key, value, expires) => (await use()).putIfAbsent(key, value, expires),
    take: async (key) => (await (await use()).take?.(key)) ?? null,
    compareAndSet: async (key, expected, value, expires) =>
      (await use()).compareAndSet(key, expected, value, expires),
    increment: async (key, by, expires) => (await use()).increment(key, by, expires),
    delete: async (key) => (await use()).delete(key),
    scan: async (prefix, options) => (await use()).scan(prefix, options),
    ...(facts.guarantees.ttl === "sweep" && {
      sweep: async (limit: number) => (await (await use()).sweep?.(limit)) ?? 0,
    }),
  };
}

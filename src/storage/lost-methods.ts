import type { Adapter } from "../types/adapter.ts";
import type { StoreBackend, StoreGuarantees } from "../types/store.ts";
import { listAdapterMethods } from "./adapter.ts";

const STORE_METHODS = [
  "get",
  "put",
  "putIfAbsent",
  "take",
  "compareAndSet",
  "increment",
  "delete",
  "scan",
  "sweep",
  "close",
] as const satisfies readonly (keyof StoreBackend)[];

const SCOPES: readonly unknown[] = ["process", "host", "global"];

function findLostMethods(inner: object, outer: object, names: readonly string[]): string[] {
  const has = (value: object, name: string) => typeof Reflect.get(value, name) === "function";
  return names.filter((name) => has(inner, name) && !has(outer, name));
}

/** Finds the methods that an adapter lost when it was wrapped. */
export function findLostByAdapter(inner: Adapter, outer: object): string[] {
  return findLostMethods(inner, outer, listAdapterMethods(inner));
}

/** Finds the methods and guarantees that a backend lost when it was wrapped. */
export function findLostByStore(inner: StoreBackend, outer: Partial<StoreBackend>): string[] {
  const kept = inner.guarantees;
  const { scope, consistency, ttl, durable }: Partial<StoreGuarantees> = outer.guarantees ?? {};
  const lost = {
    name: typeof outer.name !== "string",
    atomic: inner.atomic && !outer.atomic,
    "guarantees.scope": SCOPES.indexOf(scope) < SCOPES.indexOf(kept.scope),
    "guarantees.consistency": kept.consistency === "strong" && consistency !== "strong",
    "guarantees.ttl": ttl !== kept.ttl,
    "guarantees.durable": kept.durable && !durable,
  };
  return [
    ...findLostMethods(inner, outer, STORE_METHODS),
    ...Object.entries(lost).flatMap(([name, isLost]) => (isLost ? [name] : [])),
  ];
}

/** The operations of a store's backend on its records. */
export const OPERATIONS = [
  "get",
  "put",
  "putIfAbsent",
  "take",
  "compareAndSet",
  "increment",
  "delete",
  "scan",
] as const;

export * from "./testing/testing.ts";

export * from "./errors/errors.ts";

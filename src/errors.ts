export * from "./errors/errors.ts";
export { defineError } from "./errors/auth-error.ts";

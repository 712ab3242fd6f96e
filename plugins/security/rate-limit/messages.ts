import type { Messages } from "../../../src/kernel.ts";

/** The texts of a request that a rate limit refused. */
export const ENGLISH: Messages = {
  "limited.title": "Too many attempts",
  "limited.wait": "Too many attempts. Try again in {duration}.",
  "signin.error.limited": "Too many attempts. Wait a few minutes, then try again.",
};

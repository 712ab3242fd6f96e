import type { HookAnswer } from "../types/hook.ts";
import type { Page } from "../types/page.ts";

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isResponse(value: unknown): boolean {
  return value instanceof Response;
}

function isPage(value: unknown): boolean {
  const { name, title, blocks } = (value ?? {}) as Partial<Page>;
  return typeof name === "string" && typeof title === "string" && Array.isArray(blocks);
}

/** What the taps of the kernel's own hooks may return. */
export const ANSWERS = {
  request: { expected: "a Response", accepts: isResponse },
  signIn: {
    expected: "a boolean or a URL",
    accepts: (value) => typeof value === "boolean" || typeof value === "string",
  },
  login: {
    expected: "a URL or a Response",
    accepts: (value) => (typeof value === "string" && value !== "") || isResponse(value),
  },
  redirect: { expected: "a URL as text", accepts: (value) => typeof value === "string" },
  jwt: { expected: "a token (an object) or null", accepts: (value) => isNullOr(isObject, value) },
  session: {
    expected: "a session (an object) or null",
    accepts: (value) => isNullOr(isObject, value),
  },
  authorized: {
    expected: "false or a Response",
    accepts: (value) => value === false || isResponse(value),
  },
  locale: { expected: "a language tag as text", accepts: (value) => typeof value === "string" },
  page: { expected: "a page (an object with name, title and blocks)", accepts: isPage },
  response: { expected: "a Response", accepts: isResponse },
  error: { expected: "a Response", accepts: isResponse },
} as const satisfies Record<string, HookAnswer>;

function isNullOr(accepts: (value: unknown) => boolean, value: unknown): boolean {
  return value === null || accepts(value);
}

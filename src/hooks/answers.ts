import type { HookAnswer } from "../types/hook.ts";
import type { Page } from "../types/page.ts";

function isObjectOrNull(value: unknown): boolean {
  return typeof value === "object" && !Array.isArray(value);
}

function isResponse(value: unknown): boolean {
  return value instanceof Response;
}

function isPage(value: unknown): boolean {
  const { name, title, blocks } = (value ?? {}) as Partial<Page>;
  return typeof name === "string" && typeof title === "string" && Array.isArray(blocks);
}

type CheckedHook =
  | "request"
  | "signIn"
  | "login"
  | "redirect"
  | "jwt"
  | "session"
  | "authorized"
  | "locale"
  | "page"
  | "response"
  | "error";

/** What the taps of the kernel's own hooks may return. */
export const ANSWERS: Readonly<Record<CheckedHook, HookAnswer>> = {
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
  jwt: { expected: "a token (an object) or null", accepts: isObjectOrNull },
  session: { expected: "a session (an object) or null", accepts: isObjectOrNull },
  authorized: {
    expected: "false or a Response",
    accepts: (value) => value === false || isResponse(value),
  },
  locale: { expected: "a language tag as text", accepts: (value) => typeof value === "string" },
  page: { expected: "a page (an object with name, title and blocks)", accepts: isPage },
  response: { expected: "a Response", accepts: isResponse },
  error: { expected: "a Response", accepts: isResponse },
};

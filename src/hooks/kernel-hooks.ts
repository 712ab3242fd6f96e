import type { HookResult, HookKind } from "../types/hook.ts";
import type { Page } from "../types/page.ts";
import type { CurrentSession } from "../types/session.ts";

function isObjectOrNull(value: unknown): boolean {
  return typeof value === "object" && !Array.isArray(value);
}

function isCurrentSession(value: unknown): boolean {
  const { id, session } = (value ?? {}) as Partial<CurrentSession>;
  return value === null || (isText(id) && id !== "" && isObjectOrNull(session) && session !== null);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isResponse(value: unknown): boolean {
  return value instanceof Response;
}

function isPage(value: unknown): boolean {
  const { name, title, blocks } = (value ?? {}) as Partial<Page>;
  return typeof name === "string" && typeof title === "string" && Array.isArray(blocks);
}

/** A hook of the kernel: how its taps' values are combined, and what the taps may return besides `undefined`. */
export interface KernelHook {
  readonly kind: HookKind | "around";
  /** Absent if the return values are ignored. */
  readonly result?: HookResult;
}

const RESPONSE: HookResult = { expected: "a Response", accepts: isResponse };

/** The hooks of the kernel by name. `page` describes the hook of each page. */
export const KERNEL_HOOKS: Readonly<Record<string, KernelHook>> = {
  ready: { kind: "series" },
  around: { kind: "around" },
  request: { kind: "bail", result: RESPONSE },
  authenticate: {
    kind: "bail",
    result: {
      expected: "`{ id, session }` (the id of a user, and a session) or null",
      accepts: isCurrentSession,
    },
  },
  signIn: {
    kind: "verdict",
    result: {
      expected: "a boolean or a URL",
      accepts: (value) => typeof value === "boolean" || isText(value),
    },
  },
  login: {
    kind: "bail",
    result: {
      expected: "a URL or a Response",
      accepts: (value) => (typeof value === "string" && value !== "") || isResponse(value),
    },
  },
  redirect: { kind: "bail", result: { expected: "a URL as text", accepts: isText } },
  jwt: {
    kind: "waterfall",
    result: { expected: "a token (an object) or null", accepts: isObjectOrNull },
  },
  session: {
    kind: "waterfall",
    result: { expected: "a session (an object) or null", accepts: isObjectOrNull },
  },
  authorized: {
    kind: "bail",
    result: {
      expected: "false or a Response",
      accepts: (value) => value === false || isResponse(value),
    },
  },
  locale: { kind: "bail", result: { expected: "a language tag as text", accepts: isText } },
  page: {
    kind: "waterfall",
    result: { expected: "a page (an object with name, title and blocks)", accepts: isPage },
  },
  response: { kind: "waterfall", result: RESPONSE },
  error: { kind: "bail", result: RESPONSE },
};

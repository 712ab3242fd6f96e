import { sha256Hex } from "../../../src/_kit.ts";
import {
  type AuthContext,
  type FlowContext,
  type Kernel,
  normalizeEmail,
} from "../../../src/kernel.ts";
import { getClient } from "./client.ts";
import { createFold } from "./fold.ts";
import type { NamedRule } from "./rules.ts";
import type { RateLimitOptions } from "./types.ts";

/**
 * Returns the texts that identify what a rule counts together, or `undefined` when the rule does not apply to the
 * request.
 */
type FindSubject = (rule: NamedRule) => Promise<readonly string[] | undefined>;

/** Returns the function that finds the subjects of the rules for one request. */
export type OpenSubjects = (ctx: AuthContext) => FindSubject;

type Fold = ReturnType<typeof createFold>;
type WarnOnce = (ctx: AuthContext, code: string, detail: string) => void;

// A short text for any name. It is keyed with the secret, so that an attacker who reads the store cannot test names, or
// passwords that visitors typed into the wrong field.
async function toAccount({ config }: Kernel, name: string, fold: Fold): Promise<string> {
  return sha256Hex(JSON.stringify([config.secret[0], fold(normalizeEmail(name) ?? name)]));
}

async function findAccount(
  ctx: AuthContext,
  identify: RateLimitOptions["identify"],
  { warn, fold }: { warn: WarnOnce; fold: Fold },
): Promise<string | undefined> {
  const { provider, kernel } = ctx;
  if (!provider) {
    const session = await ctx.session();
    return session ? toAccount(kernel, session.id, fold) : undefined;
  }
  const { id, type } = provider;
  const name =
    identify?.(await ctx.body(), id) ?? (await kernel.flow(type).identify?.(ctx as FlowContext));
  if (name !== undefined) return toAccount(kernel, name, fold);
  warn(
    ctx,
    "rate-limit-account",
    `The fields of "${id}" name no account, so the rules that count by account do not apply. Declare the account's field in ` +
      "`credentials` or `formFields`, or return it from `identify` of rateLimit.",
  );
  return undefined;
}

function matches({ type, provider, query = {} }: NamedRule, ctx: AuthContext): boolean {
  const given = ctx.provider;
  if ((type ?? given?.type) !== given?.type || (provider ?? given?.id) !== given?.id) return false;
  const { searchParams } = ctx.url;
  return Object.entries(query).every(([name, value]) => searchParams.get(name) === value);
}

/**
 * Creates the function that opens the subjects of requests. It warns once about each reason that keeps rules from
 * applying.
 */
export function createSubjects({ identify }: Pick<RateLimitOptions, "identify">): OpenSubjects {
  const fold = createFold();
  const warned = new Set<string>();
  const warn: WarnOnce = ({ kernel }, code, detail) => {
    if (warned.has(detail)) return;
    warned.add(detail);
    kernel.logger.warn(code, detail);
  };

  return (ctx) => {
    let found: Promise<string | undefined> | undefined;
    return async (rule) => {
      if (!matches(rule, ctx)) return undefined;
      const subject: (string | undefined)[] = [];
      if (rule.by.includes("account")) {
        subject.push(
          ctx.provider?.id ?? "",
          await (found ??= findAccount(ctx, identify, { warn, fold })),
        );
      }
      if (rule.by.includes("client")) subject.push(getClient(ctx, warned));
      const known = subject.filter((part) => part !== undefined);
      return known.length === subject.length ? known : undefined;
    };
  };
}

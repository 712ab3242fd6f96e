import { hasRules, rules } from "#build/keyhook.mjs";
import { createRuleMatcher } from "../../_route-rules.ts";

/** The part of a route that decides. */
interface RuledRoute {
  readonly path: string;
  readonly meta: { readonly auth?: boolean | "guest" | undefined };
}

const isGuarded = hasRules ? createRuleMatcher(rules) : () => false;

/** Returns whether a route requires a session, or its absence (`guest`). */
export function getRule({ meta, path }: RuledRoute): boolean | "guest" {
  return meta.auth ?? isGuarded(path);
}

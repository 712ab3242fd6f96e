import { getAuthSession, requireAuthSession } from "keyhook/nitro";
import { defineHandler } from "nitro/h3";
import type { RouteRuleConfig } from "nitro/types";

type Role = "admin" | "reader" | undefined;

// `nuxi typecheck` reads this file, and nothing runs it.
export default defineHandler(async (event) => {
  const session = await event.context.auth();
  const role: Role = session?.user?.role;
  const required: Role = (await event.context.auth.require()).user?.role;
  const page: Response = await event.context.auth.fetch("/signin");
  // @ts-expect-error No one has declared it.
  const unknown: unknown = session?.user?.rank;
  const read: Role = (await getAuthSession(event))?.user?.role;
  const ofRequired: Role = (await requireAuthSession(event)).user?.role;
  return [role, required, page, unknown, read, ofRequired];
});

export const rule: RouteRuleConfig = { auth: true };
// @ts-expect-error It is true or false.
export const wrong: RouteRuleConfig = { auth: "admin" };

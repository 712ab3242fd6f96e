import { isObject } from "../../../src/_kit.ts";
import type { FlowContext, User } from "../../../src/kernel.ts";
import { readJson, valueAt } from "../_response-json.ts";
import { OpenId2CallbackError } from "./errors.ts";
import { request } from "./fetch.ts";
import type { OpenId2Provider } from "./provider.ts";

/** The profile of a user as the provider returned it, and the user that it is mapped to. */
export interface OpenId2User {
  readonly profile?: Record<string, unknown>;
  readonly user: User;
}

/**
 * Resolves to the user of an account. Without a key there is no profile.
 * @throws OpenId2Unreachable; OpenId2CallbackError when the response is not a profile.
 */
export async function fetchUser(
  ctx: FlowContext<OpenId2Provider>,
  id: string,
): Promise<OpenId2User> {
  const { id: name, userinfo, apiKey, profile: toUser } = ctx.provider;
  const unknown: User = { id, name: null, email: null, image: null };
  if (!userinfo || !apiKey || !toUser) return { user: unknown };
  const url = userinfo.url
    .replace("{id}", encodeURIComponent(id))
    .replace("{apiKey}", encodeURIComponent(apiKey));
  const response = await request(ctx, url);
  const body = response.ok ? await readJson(response, name).catch(() => undefined) : undefined;
  const profile = userinfo.root === undefined ? body : valueAt(body, userinfo.root);
  if (!isObject(profile) || String(profile[userinfo.id]) !== id) {
    throw new OpenId2CallbackError(
      `"${name}": the userinfo response (status ${response.status}) is not a profile. Check its \`apiKey\`.`,
    );
  }
  return { profile, user: { ...unknown, ...toUser(profile), id } };
}

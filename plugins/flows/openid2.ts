export type * from "./openid2/provider.ts";
import { isSecureUrl, readProviderEnv } from "../../src/_kit.ts";
import { InvalidConfig } from "../../src/errors.ts";
import {
  defineFlow,
  type FlowContext,
  type Identity,
  type Kernel,
  type Plugin,
} from "../../src/kernel.ts";
import { addErrors } from "./openid2/errors.ts";
import type { OpenId2Provider } from "./openid2/provider.ts";
import { fetchUser } from "./openid2/userinfo.ts";
import { getReturnUrl, NAMESPACE, verifyResponse } from "./openid2/verify.ts";

type Context = FlowContext<OpenId2Provider>;

const IDENTIFIER_SELECT = `${NAMESPACE}/identifier_select`;

function resolve(provider: OpenId2Provider, { env }: Kernel): OpenId2Provider {
  const { apiKey } = readProviderEnv(env, provider.id);
  const resolved = { ...(apiKey !== undefined && { apiKey }), ...provider };
  const { id, endpoint, claimedId, userinfo } = resolved;
  for (const [name, url] of Object.entries({
    endpoint,
    claimedId,
    "userinfo.url": userinfo?.url,
  })) {
    if (name === "userinfo.url" && url === undefined) continue;
    if (typeof url === "string" && URL.canParse(url) && isSecureUrl(new URL(url))) continue;
    throw new InvalidConfig(`"${id}" has no usable \`${name}\`; set it to an https URL.`);
  }
  if (claimedId.split("{id}").length !== 2) {
    throw new InvalidConfig(
      `"${id}" has a \`claimedId\` without exactly one "{id}"; put it where the id goes.`,
    );
  }
  return resolved;
}

// OpenID Authentication 2.0 section 9.1.
function start(ctx: Context, attempt: string): Response {
  const url = new URL(ctx.provider.endpoint);
  const fields = {
    ns: NAMESPACE,
    mode: "checkid_setup",
    claimed_id: IDENTIFIER_SELECT,
    identity: IDENTIFIER_SELECT,
    return_to: getReturnUrl(ctx, attempt),
    realm: ctx.origin,
  };
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(`openid.${name}`, value);
  return ctx.redirect(url.href);
}

async function finish(ctx: Context, attempt: string): Promise<Identity> {
  const id = await verifyResponse(ctx, attempt);
  const { user, profile } = await fetchUser(ctx, id);
  return {
    user,
    account: { providerAccountId: id },
    ...(profile && { profile }),
    emailVerified: false,
  };
}

/**
 * Returns the plugin for sign-in by OpenID Authentication 2.0 in stateless mode. The provider itself verifies each
 * response (section 11.4.2), so no secret is shared with it.
 */
export const openid2Flow: () => Plugin = defineFlow<OpenId2Provider>(
  "openid2",
  {
    methods: ["GET"],
    state: "state",
    resolve,
    start: (ctx, { value }) => start(ctx, value),
    finish: (ctx, { value }) => finish(ctx, value),
  },
  { setup: addErrors },
);

import { timingSafeEqual } from "../../../src/_kit.ts";
import { AccessDenied } from "../../../src/errors.ts";
import type { FlowContext } from "../../../src/kernel.ts";
import { OpenId2CallbackError } from "./errors.ts";
import { request } from "./fetch.ts";
import type { OpenId2Provider } from "./provider.ts";

type Context = FlowContext<OpenId2Provider>;

/** The namespace of the protocol (OpenID Authentication 2.0 section 4.1.2). */
export const NAMESPACE = "http://specs.openid.net/auth/2.0";

/** The fields that must be signed (section 10.1). An attacker could change any other field in transit. */
const SIGNED = [
  "op_endpoint",
  "return_to",
  "response_nonce",
  "assoc_handle",
  "claimed_id",
  "identity",
];

/** Maximum difference between the provider's clock and this server's. */
const NONCE_WINDOW_MS = 300_000;

const NONCE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)[\u0021-\u007e]{0,235}$/;

/** Returns the URL to which the provider redirects back. It contains the attempt, which the response repeats. */
export function getReturnUrl({ provider }: Context, attempt: string): string {
  return `${provider.callbackUrl}?state=${attempt}`;
}

function refuse({ provider }: Context, reason: string): never {
  throw new OpenId2CallbackError(`"${provider.id}": the response is refused: ${reason}.`);
}

// Reads the parameters of the protocol. Repeated ones are refused, because this server and the provider could each read
// another one. Names that a parser may confuse count as repeated too: PHP reads `openid.claimed.id` as
// `openid.claimed_id` and drops what follows a NUL, and other parsers ignore case.
function readFields(ctx: Context): Map<string, string> {
  const fields = new Map<string, string>();
  const seen = new Set<string>();
  for (const [name, value] of ctx.url.searchParams) {
    if (!name.startsWith("openid.")) continue;
    const spelling = name.toLowerCase().replaceAll(".", "_");
    if (seen.has(spelling) || /\W/.test(spelling)) refuse(ctx, "a parameter is repeated");
    seen.add(spelling);
    fields.set(name, value);
  }
  return fields;
}

function toId({ claimedId }: OpenId2Provider, claimed: string): string | undefined {
  const [before = "", after = ""] = claimedId.split("{id}");
  if (!claimed.startsWith(before) || !claimed.endsWith(after)) return undefined;
  const id = claimed.slice(before.length, claimed.length - after.length);
  return /^\d{1,32}$/.test(id) ? id : undefined;
}

// Section 11.3: a response is accepted once, and only while its nonce is remembered.
async function checkNonce(ctx: Context, nonce: string): Promise<void> {
  const time = Date.parse(NONCE.exec(nonce)?.[1] ?? "");
  if (!(Math.abs(Date.now() - time) < NONCE_WINDOW_MS)) refuse(ctx, "it is too old");
  if (!(await ctx.kernel.useOnce("openid2", `${ctx.provider.id} ${nonce}`))) {
    refuse(ctx, "it was used before");
  }
}

// Section 4.1.1: each line is one `key:value`.
function isValid(text: string): boolean {
  const lines = text.split("\n");
  const named = (name: string) => lines.filter((line) => line.startsWith(`${name}:`));
  return named("is_valid").join() === "is_valid:true" && named("ns").join() === `ns:${NAMESPACE}`;
}

// Section 11.4.2: the configured endpoint is asked, whatever the response says.
async function checkSignature(ctx: Context, fields: ReadonlyMap<string, string>): Promise<void> {
  const body = new URLSearchParams([...fields]);
  body.set("openid.mode", "check_authentication");
  const response = await request(ctx, ctx.provider.endpoint, { method: "POST", body });
  const text = await response.text();
  if (!response.ok || !isValid(text)) refuse(ctx, "the provider did not confirm it");
}

/**
 * Verifies the response of the provider (OpenID Authentication 2.0 section 11), and resolves to the id of the account.
 * @throws AccessDenied when the visitor has canceled; OpenId2CallbackError for a response that the provider did not
 * issue for this attempt; OpenId2Unreachable.
 */
export async function verifyResponse(ctx: Context, attempt: string): Promise<string> {
  const { provider } = ctx;
  const fields = readFields(ctx);
  const read = (name: string) => fields.get(`openid.${name}`) ?? "";
  if (read("mode") === "cancel") throw new AccessDenied(`"${provider.id}": the visitor canceled.`);
  if (read("mode") !== "id_res" || read("ns") !== NAMESPACE) refuse(ctx, "it asserts nothing");
  if (read("op_endpoint") !== provider.endpoint) refuse(ctx, "it is from another endpoint");
  if (!timingSafeEqual(read("return_to"), getReturnUrl(ctx, attempt))) {
    refuse(ctx, "it is for another attempt");
  }
  const signed = read("signed").split(",");
  if (!SIGNED.every((name) => signed.includes(name))) refuse(ctx, "parts of it are not signed");
  const id = toId(provider, read("claimed_id"));
  if (id === undefined || read("identity") !== read("claimed_id")) {
    refuse(ctx, "its identifier is not from this provider");
  }
  await checkNonce(ctx, read("response_nonce"));
  await checkSignature(ctx, fields);
  return id;
}

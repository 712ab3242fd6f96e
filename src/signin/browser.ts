import { randomBase64url, sha256Base64url } from "../crypto/crypto.ts";
import type { AuthContext } from "../types/kernel.ts";

/** Characters of the value: 132 bits. */
const LENGTH = 22;
const VALUE = /^[\w-]{22}$/;

// Browsers send only `SameSite=None` cookies with a POST from another site. That cookie has its own name, so that
// neither kind of attempt overwrites the other's value.
function getNames({ cookies }: AuthContext): { own: string; crossSite: string } {
  const { name } = cookies.spec("browser");
  return { own: name, crossSite: `${name}.post` };
}

// Two concurrent requests of a browser without a value derive the same one from their CSRF cookie.
async function createValue({ cookies }: AuthContext): Promise<string> {
  const csrf = cookies.get(cookies.spec("csrfToken").name);
  if (csrf === undefined) return randomBase64url(16);
  return (await sha256Base64url(`keyhook browser ${csrf}`)).slice(0, LENGTH);
}

/** Returns the values that the request's browser has. A sealed check contains one of them. */
export function listBrowserValues(ctx: AuthContext): string[] {
  const values = Object.values(getNames(ctx)).flatMap((name) => ctx.cookies.getAll(name));
  return values.filter((value) => VALUE.test(value));
}

/**
 * Returns the value that distinguishes this browser from others, and sets its cookie. A sealed check contains the
 * value: a sibling host can plant the cookies of its own attempt under Auth.js's cookie names, but not this one
 * (SECURITY.md R13).
 */
export async function markBrowser(ctx: AuthContext, isPosted = false): Promise<string> {
  const value = listBrowserValues(ctx)[0] ?? (await createValue(ctx));
  const { attributes } = ctx.cookies.spec("browser");
  const { own, crossSite } = getNames(ctx);
  if (isPosted)
    ctx.cookies.set(crossSite, value, { ...attributes, sameSite: "none", secure: true });
  else ctx.cookies.set(own, value, attributes);
  return value;
}

import { randomBase64url, sha256Base64url } from "../crypto/crypto.ts";
import type { AuthContext } from "../types/kernel.ts";

/** Characters of the value: 132 bits. */
const LENGTH = 22;
const VALUE = /^[\w-]{22}$/;

// Only a cookie that is `SameSite=None` comes with the POST of another site. It has a name of its own, so that neither
// kind of attempt takes the other one's away.
function getNames({ cookies }: AuthContext): { own: string; crossSite: string } {
  const { name } = cookies.spec("browser");
  return { own: name, crossSite: `${name}.post` };
}

// Two requests at once, of a browser that has no value yet, get the same one by their CSRF cookie.
async function createValue({ cookies }: AuthContext): Promise<string> {
  const csrf = cookies.get(cookies.spec("csrfToken").name);
  if (csrf === undefined) return randomBase64url(16);
  return (await sha256Base64url(`keyhook browser ${csrf}`)).slice(0, LENGTH);
}

/** Returns the values that the browser of a request has, of which a sealed check contains one. */
export function listBrowserValues(ctx: AuthContext): string[] {
  const values = Object.values(getNames(ctx)).flatMap((name) => ctx.cookies.getAll(name));
  return values.filter((value) => VALUE.test(value));
}

/**
 * Returns the value that tells this browser from others, and sets its cookie. A sealed check contains it: the names of
 * Auth.js's cookies let a sibling host plant those of an attempt of its own, but not this one (SECURITY.md R13).
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

import { isPublicHost } from "../http/origin.ts";
import type { Logger } from "../types/options.ts";

// Domains below which anyone can get a host: hosting, tunnels, and registries with a second level. Only those that
// configurations commonly name.
const SHARED: ReadonlySet<string> = new Set([
  ...["amazonaws.com", "amplifyapp.com", "appspot.com", "azurestaticapps.net", "azurewebsites.net"],
  ...["cloudfront.net", "deno.dev", "firebaseapp.com", "fly.dev", "github.io", "gitlab.io"],
  ...["herokuapp.com", "netlify.app", "ngrok.app", "ngrok.io", "ngrok-free.app", "onrender.com"],
  ...["ondigitalocean.app", "pages.dev", "replit.app", "run.app", "trycloudflare.com"],
  ...["up.railway.app", "vercel.app", "web.app", "workers.dev"],
  ...["ac.uk", "co.in", "co.jp", "co.kr", "co.nz", "co.uk", "co.za", "com.au", "com.br", "com.cn"],
  ...["com.mx", "com.tr", "org.uk"],
]);

function isShared(domain: string): boolean {
  const isTopLevel = !domain.includes(".") && isPublicHost(new URL(`https://host.${domain}`));
  return isTopLevel || SHARED.has(domain);
}

/**
 * Warns about patterns in `trustHost` that match hosts of other people, who could have links mailed to their own host
 * (SECURITY.md R4). The entries must be well-formed.
 */
export function checkTrustedHosts(
  entries: readonly string[],
  { warn }: Pick<Required<Logger>, "warn">,
): void {
  for (const entry of entries) {
    const domain = /^(?:https?:\/\/)?\*\.([^:]+)/.exec(entry.toLowerCase())?.[1];
    if (domain === undefined || !isShared(domain)) continue;
    warn(
      "trust-host-shared",
      `\`trustHost\` lists "${entry}": anyone can get a host under ${domain}, and request links that ` +
        "are mailed with that host. List your own hosts.",
    );
  }
}

import type { AccessToken } from "../plugins/oauth/access-tokens.ts";
import type { AuthError } from "../src/errors.ts";
import { type AppPage, clock } from "./layout.ts";
import { markup } from "./markup.ts";

/** Options of the page. */
export interface ProviderPageOptions {
  issuer: string;
  /** Resolves to the access token of the visitor. */
  getToken(): Promise<AccessToken>;
}

async function fetchUserinfo(issuer: string, { accessToken }: AccessToken): Promise<string> {
  const response = await fetch(`${issuer}/me`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  return JSON.stringify(await response.json(), null, 2);
}

/** Renders what the API of Playground ID returns for the visitor's access token, which stays on the server. */
export async function providerPage({ issuer, getToken }: ProviderPageOptions): Promise<AppPage> {
  const title = "Playground ID";
  try {
    const token = await getToken();
    const end = new Date((token.expiresAt ?? 0) * 1000).toISOString();
    return {
      title,
      content: markup`<main class="card narrow"><h1>Playground ID knows you</h1>
<pre data-userinfo tabindex="0" role="region" aria-label="Response of Playground ID">${await fetchUserinfo(issuer, token)}</pre>
<p class="quiet">The access token ends <time datetime="${end}" data-token-ends>at ${clock(end)}</time>: it lasts for a minute.
<code>auth.getAccessToken</code> refreshes it when it is due, once for all tabs, and the browser never sees it.</p>
<div class="pair">
<a class="button plain" href="/provider">Ask again</a>
<form method="post" action="/provider"><button class="button plain">Refresh the token</button></form>
</div>
<p class="link"><a href="/">Back to the session</a></p></main>`,
    };
  } catch (error) {
    const { type, message, cause } = error as AuthError;
    const reason = cause?.err?.message ?? message;
    return {
      title,
      content: markup`<main class="card narrow"><h1>Playground ID cannot be asked</h1>
<p class="message bad" role="alert">${type}: ${reason}</p>
<a class="button primary" href="/">Back to the session</a></main>`,
    };
  }
}

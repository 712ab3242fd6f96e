import createAuth, { definePlugin } from "keyhook";
import { storeAdapter } from "keyhook/adapters/store";
import { githubPlugin } from "keyhook/providers/github";
import { memoryStore } from "keyhook/stores/memory";
import {
  createClock,
  createIdentityProvider,
  createOutbox,
  createTestAuth,
  type Duration,
} from "keyhook/testing";

const only = definePlugin({
  name: "only",
  setup({ hooks }) {
    hooks.signIn.tap("only", ({ user }) => (user.name === "Eve" ? false : undefined));
  },
});

const month: Duration = "31 days";
const idp = createIdentityProvider({ issuer: "https://github.com/login/oauth", alg: "RS256" });
const outbox = createOutbox();
const { browser, openBrowser } = createTestAuth(createAuth, {
  idp,
  providers: [
    idp.provider({ checks: ["pkce", "state", "nonce"] }),
    githubPlugin(idp.client),
    outbox.provider({ maxAge: 600 }),
  ],
  plugins: [only, memoryStore(), storeAdapter()],
});

const shown: Record<string, unknown> = {};
{
  using clock = createClock("2026-05-01");
  await browser.signInAs({ name: "Ada" });
  shown.session = await browser.session();
  clock.advance(month);
  shown.later = await browser.session();
}
await openBrowser()
  .signInAs({ name: "Eve" })
  .catch((error: Error) => (shown.refused = /\?error=\w+/.exec(error.message)?.[0]));
const byLink = openBrowser();
await byLink.signIn("email", { email: "ada@example.com" });
await byLink.get(outbox.last("ada@example.com").url);
shown.byLink = (await byLink.session<{ user: { email: string } }>())?.user.email;
shown.isReal = Math.abs(Date.now() - performance.timeOrigin) < 600_000;
console.log(JSON.stringify(shown));

import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/standard.ts";
import { createIdentityProvider } from "../../src/testing/testing.ts";
import { createTestAuth, type TestAuth, type TestAuthOptions } from "../_app.ts";
import { createPasskeyApp } from "../flows/_passkey.ts";

/** Returns the debug lines since the last call, without times and request numbers. */
function takeLines({ log }: Pick<TestAuth, "log">): string[] {
  return log.debugs.splice(0).map(([message, metadata]) => {
    const { request, ms, id, ...facts } = metadata as Record<string, unknown>;
    expect(request).toMatch(/^[\da-f]{6}$/);
    expect(ms).toBeTypeOf("number");
    if (id !== undefined) expect(id).toBeTypeOf("string");
    const text = Object.entries(facts).map(([name, value]) => `${name}=${inspect(value)}`);
    return [message, ...text].join(", ");
  });
}

function createApp(given: TestAuthOptions = {}) {
  const idp = createIdentityProvider();
  const app = createTestAuth({
    preset: standardPreset,
    errors: "allowed",
    store: memoryBackend(),
    strategy: "jwt",
    idp,
    providers: [idp.provider()],
    ...given,
  } as never);
  return Object.assign(app, { idp });
}

afterEach(() => void vi.restoreAllMocks());

describe("a sign-in as debug lines", () => {
  it("an OAuth sign-in logs each step", async () => {
    const app = createApp();
    await app.browser.signInAs();
    expect(takeLines(app)).toMatchInlineSnapshot(`
      [
        "signin idp: a sign-in starts, type='oidc'",
        "signin idp: the authorization endpoint is known, from='metadata'",
        "signin idp: the attempt is sealed into cookies, checks='pkceCodeVerifier', linking=false",
        "signin idp: the flow responds, status=302, to='https://idp.example/authorize'",
        "callback idp: a sign-in continues, type='oidc'",
        "callback idp: the authorization response arrives, parameters='code iss'",
        "callback idp: the attempt of this browser, accepted=true, checks='pkceCodeVerifier'",
        "callback idp: the authorization response is valid",
        "callback idp: the code is exchanged, received='access_token refresh_token expires_in scope id_token token_type expires_at'",
        "callback idp: the ID token is valid",
        "callback idp: the identity is authenticated, hasAddress=true, emailVerified=true",
        "callback idp: the stored users were looked up, byAccount=false, byEmail=false, linking='none'",
        "callback idp: the \`signIn\` hook allows it",
        "callback idp: the linking table decides, row='O7', outcome='create'",
        "callback idp: the session is created, strategy='jwt', isNewUser=true",
        "callback idp: the user is signed in, status=302, to='http://localhost:3000/'",
      ]
    `);
  });

  it("an OAuth sign-in in another browser logs why it is refused", async () => {
    const app = createApp();
    await app.browser.get("/auth/callback/idp?code=the-code&state=the-state");
    expect(takeLines(app)).toMatchInlineSnapshot(`
      [
        "callback idp: a sign-in continues, type='oidc'",
        "callback idp: the authorization response arrives, parameters='code state'",
        "callback idp: the attempt of this browser, accepted=false, why='The check cookies are missing, expired, or cannot be decrypted: no "pkceCodeVerifier". A sign-in begins and ends in one browser, at one host (AUTH_URL), within 15 minutes.'",
        "callback idp: the flow refuses, error='InvalidCheck', why='The check cookies are missing, expired, or cannot be decrypted: no "pkceCodeVerifier". A sign-in begins and ends in one browser, at one host (AUTH_URL), within 15 minutes.'",
        "callback idp: the request failed, error='InvalidCheck', why='The check cookies are missing, expired, or cannot be decrypted: no "pkceCodeVerifier". A sign-in begins and ends in one browser, at one host (AUTH_URL), within 15 minutes.'",
      ]
    `);
  });

  it("an OAuth sign-in that the application refuses is logged as such", async () => {
    const app = createApp({ callbacks: { signIn: () => false } });
    await app.browser.signInAs().catch(() => {});
    expect(takeLines(app).slice(-3)).toMatchInlineSnapshot(`
      [
        "callback idp: the stored users were looked up, byAccount=false, byEmail=false, linking='none'",
        "callback idp: the sign-in is refused, error='AccessDenied', why='The tap "config.callbacks" of the hook signIn refused the sign-in.'",
        "callback idp: the request failed, error='AccessDenied', why='The tap "config.callbacks" of the hook signIn refused the sign-in.'",
      ]
    `);
  });

  it("an e-mail sign-in logs each step", async () => {
    const app = createApp({ providers: [], mail: {} });
    await app.requestLink();
    await app.followLink();
    expect(takeLines(app)).toMatchInlineSnapshot(`
      [
        "signin mail: a sign-in starts, type='email'",
        "signin mail: the token of the link is stored",
        "signin mail: the e-mail is sent",
        "signin mail: the flow responds, status=302, to='http://localhost:3000/auth/verify-request'",
        "callback mail: a sign-in continues, type='email'",
        "callback mail: the link may be used",
        "callback mail: the token of the link, admitted=true, redeemed=true",
        "callback mail: the identity is authenticated, hasAddress=true, emailVerified=true",
        "callback mail: the stored users were looked up, byAccount=false, byEmail=false, linking='none'",
        "callback mail: the \`signIn\` hook allows it",
        "callback mail: the linking table decides, row='M3', outcome='createVerified'",
        "callback mail: the session is created, strategy='jwt', isNewUser=true",
        "callback mail: the user is signed in, status=302, to='http://localhost:3000/'",
      ]
    `);
  });

  it("wrong and correct credentials log each step", async () => {
    const app = createTestAuth({ errors: "allowed" });
    await app.browser.signInWith("credentials", { username: "ada", password: "wrong" });
    await app.browser.signInWith("credentials", { username: "ada", password: "lovelace" });
    expect(takeLines(app)).toMatchInlineSnapshot(`
      [
        "callback credentials: a sign-in continues, type='credentials'",
        "callback credentials: the application returns no user, fields='username password'",
        "callback credentials: the flow refuses, error='CredentialsSignin', why='\`authorize\` returned null.'",
        "callback credentials: the request failed, error='CredentialsSignin', why='\`authorize\` returned null.'",
        "callback credentials: a sign-in continues, type='credentials'",
        "callback credentials: the application returns a user, fields='username password'",
        "callback credentials: the identity is authenticated, hasAddress=true, emailVerified='not stated'",
        "callback credentials: the stored users were looked up, byAccount=false, byEmail=false, linking='none'",
        "callback credentials: the \`signIn\` hook allows it",
        "callback credentials: the session is created, strategy='jwt', isNewUser='not known'",
        "callback credentials: the user is signed in, status=302, to='http://localhost:3000/'",
      ]
    `);
  });

  it("passkey ceremonies log each step", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    app.browser.cookies.clear();
    await app.signIn();
    expect(takeLines(app)).toMatchInlineSnapshot(`
      [
        "webauthn-options passkey: a challenge is issued, ceremony='register', signedIn=false",
        "callback passkey: a sign-in continues, type='webauthn'",
        "callback passkey: the challenge is this browser's and unused, ceremony='register'",
        "callback passkey: the response of the authenticator is valid",
        "callback passkey: the identity is authenticated, hasAddress=true, emailVerified=false",
        "callback passkey: the stored users were looked up, byAccount=false, byEmail=false, linking='none'",
        "callback passkey: the \`signIn\` hook allows it",
        "callback passkey: the linking table decides, row='O7', outcome='create'",
        "callback passkey: the session is created, strategy='database', isNewUser=true",
        "callback passkey: the user is signed in, status=302, to='http://localhost:3000/'",
        "webauthn-options passkey: a challenge is issued, ceremony='authenticate', signedIn=false",
        "callback passkey: a sign-in continues, type='webauthn'",
        "callback passkey: the challenge is this browser's and unused, ceremony='authenticate'",
        "callback passkey: the response of the authenticator is valid",
        "callback passkey: the identity is authenticated, hasAddress=true, emailVerified='not stated'",
        "callback passkey: the stored users were looked up, byAccount=true, byEmail=false, linking='none'",
        "callback passkey: the \`signIn\` hook allows it",
        "callback passkey: the linking table decides, row='O3', outcome='signIn'",
        "callback passkey: the session is created, strategy='database', isNewUser=false",
        "callback passkey: the user is signed in, status=302, to='http://localhost:3000/'",
      ]
    `);
  });
});

describe("where debug lines are written", () => {
  const run = async (given: TestAuthOptions) => {
    const write = vi.spyOn(console, "debug").mockReturnValue(undefined);
    const app = createTestAuth({ logger: { error() {}, warn() {} }, ...given });
    await app.browser.signInWith("credentials", { username: "ada", password: "lovelace" });
    return write.mock.calls.map(([message]) => String(message));
  };

  it("`debug: true` writes them to the console", async () => {
    const lines = await run({ debug: true });
    expect(lines).toContain("[keyhook] callback credentials: the user is signed in");
  });

  it("nothing is computed without `debug` and without a `debug` method of the logger", async () => {
    const contexts: unknown[] = [];
    const lines = await run({
      use: [
        {
          name: "look",
          setup: ({ hooks }) => hooks.request.tap("look", (ctx) => void contexts.push(ctx.debug)),
        },
      ],
    });
    expect(lines).toEqual([]);
    expect(contexts.length).toBeGreaterThan(0);
    expect(contexts.every((debug) => debug === undefined)).toBe(true);
  });
});

import * as oauth from "oauth4webapi";
import { expect, it, vi } from "vitest";
import type { NativeAppsAuth } from "../../plugins/security/native-apps.ts";
import type { Auth } from "../../src/kernel.ts";
import { ORIGIN } from "../_app.ts";
import {
  allow,
  createNativeTest,
  DEVICE_GRANT,
  IOS_URI,
  type NativeTest,
  signIn,
  submitForm,
  typeCode,
} from "./_native-apps.ts";

// The application serves the metadata where its README says, and clients look there.
const toOptions = ({ web }: NativeTest) => ({
  [oauth.allowInsecureRequests]: true,
  [oauth.customFetch]: async (url: string, init: object) => {
    const request = new Request(url, init);
    const { pathname } = new URL(url);
    return pathname === "/.well-known/oauth-authorization-server/auth"
      ? Response.json(await (web.auth as Auth & NativeAppsAuth).getServerMetadata(request))
      : web.auth.fetch(request);
  },
});

async function discover(test: NativeTest, path = "/auth"): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(path, ORIGIN);
  const options = { algorithm: "oauth2", ...toOptions(test) } as const;
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
}

it("an OAuth client library discovers the endpoints and their capabilities from the issuer", async () => {
  const test = createNativeTest();
  const found = await discover(test);
  expect(found).toEqual({
    issuer: `${ORIGIN}/auth`,
    authorization_endpoint: `${ORIGIN}/auth/authorize`,
    token_endpoint: `${ORIGIN}/auth/token`,
    device_authorization_endpoint: `${ORIGIN}/auth/device-authorization`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", DEVICE_GRANT],
    token_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  });
  const path = "/auth/.well-known/oauth-authorization-server";
  const response = await test.web.browser.get(path);
  expect([response.status, await response.json()]).toEqual([200, found]);
  expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  expect(response.headers.getSetCookie()).toEqual([]);
});

it("an application whose base path is the root serves correct metadata where clients look", async () => {
  const apps = { ios: { name: "Acme for iOS", redirectUris: [IOS_URI] } };
  const found = await discover(createNativeTest({ apps, basePath: "/" }), "/");
  expect(found).toMatchObject({
    issuer: ORIGIN,
    token_endpoint: `${ORIGIN}/token`,
    grant_types_supported: ["authorization_code"],
  });
  expect(found.device_authorization_endpoint).toBeUndefined();
  const devices = { tv: { name: "Acme TV", device: true } };
  const other = await discover(createNativeTest({ apps: devices, basePath: "/" }), "/");
  expect(other.grant_types_supported).toEqual([DEVICE_GRANT]);
});

it("behind a proxy, the metadata has the public host of the request", async () => {
  const test = createNativeTest({ trustProxy: 1, trustHost: true });
  const headers = { "x-forwarded-host": "app.acme.com", "x-forwarded-proto": "https" };
  const request = new Request("http://10.0.0.1:3000/.well-known/x", { headers });
  const metadata = await (test.web.auth as Auth & NativeAppsAuth).getServerMetadata(request);
  expect(metadata.issuer).toBe("https://app.acme.com/auth");
});

it("an OAuth client library gets a token by a code with PKCE, and receives errors", async () => {
  const test = createNativeTest({ strategy: "database" });
  const server = await discover(test);
  await signIn(test.web.browser);
  const client: oauth.Client = { client_id: "ios" };
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "ios",
    redirect_uri: IOS_URI,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
  });
  const url = await allow(test.web.browser, `/auth/authorize?${query}`);
  // The library checks `state` and `iss`.
  const parameters = oauth.validateAuthResponse(server, client, url, state);
  const redeem = () =>
    oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      IOS_URI,
      verifier,
      toOptions(test),
    );
  const token = await oauth.processAuthorizationCodeResponse(server, client, await redeem());
  expect(token).toMatchObject({ token_type: "bearer", expires_in: expect.any(Number) as number });
  expect(await test.session(token.access_token)).toMatchObject({ user: { name: "Ada" } });
  await expect(
    oauth.processAuthorizationCodeResponse(server, client, await redeem()),
  ).rejects.toMatchObject({ error: "invalid_grant" });

  const page = await test.web.browser.get(`/auth/authorize?${query}`);
  const denied = await submitForm(test.web.browser, page, { deny: "1" });
  const led = new URL(denied.headers.get("location") ?? "");
  expect(() => oauth.validateAuthResponse(server, client, led, state)).toThrow(
    expect.objectContaining({ error: "access_denied" }) as Error,
  );
});

it("an OAuth client library gets a token for a device, and learns that it has to wait", async () => {
  const test = createNativeTest({ strategy: "hybrid" });
  const server = await discover(test);
  await signIn(test.web.browser);
  const client: oauth.Client = { client_id: "cli" };
  const options = toOptions(test);
  const device = await oauth.processDeviceAuthorizationResponse(
    server,
    client,
    await oauth.deviceAuthorizationRequest(
      server,
      client,
      oauth.None(),
      new URLSearchParams(),
      options,
    ),
  );
  const ask = async () =>
    oauth.processDeviceCodeResponse(
      server,
      client,
      await oauth.deviceCodeGrantRequest(server, client, oauth.None(), device.device_code, options),
    );
  await expect(ask()).rejects.toMatchObject({ error: "authorization_pending" });
  await expect(ask()).rejects.toMatchObject({ error: "slow_down" });
  await submitForm(test.web.browser, await typeCode(test.web.browser, device.user_code));
  const token = await ask();
  expect(await test.session(token.access_token)).toMatchObject({ user: { name: "Ada" } });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 700_000 });
  await expect(ask()).rejects.toMatchObject({ error: expect.stringMatching(/grant|token/) });
});

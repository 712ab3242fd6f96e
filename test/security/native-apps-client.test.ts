import * as oauth from "oauth4webapi";
import { expect, it, vi } from "vitest";
import { ORIGIN } from "../_app.ts";
import {
  allow,
  createNativeTest,
  IOS_URI,
  type NativeTest,
  signIn,
  submitForm,
  typeCode,
} from "./_native-apps.ts";

// What the documentation tells an app: there is no metadata document.
const SERVER: oauth.AuthorizationServer = {
  issuer: `${ORIGIN}/auth`,
  authorization_endpoint: `${ORIGIN}/auth/authorize`,
  token_endpoint: `${ORIGIN}/auth/token`,
  device_authorization_endpoint: `${ORIGIN}/auth/device-authorization`,
  authorization_response_iss_parameter_supported: true,
};

const toOptions = ({ web }: NativeTest) => ({
  [oauth.allowInsecureRequests]: true,
  [oauth.customFetch]: (url: string, init: object) => web.auth.fetch(new Request(url, init)),
});

it("a client library of OAuth gets a token by a code with PKCE, and is told of errors", async () => {
  const test = createNativeTest({ strategy: "database" });
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
  // It checks `state` and `iss`.
  const parameters = oauth.validateAuthResponse(SERVER, client, url, state);
  const redeem = () =>
    oauth.authorizationCodeGrantRequest(
      SERVER,
      client,
      oauth.None(),
      parameters,
      IOS_URI,
      verifier,
      toOptions(test),
    );
  const token = await oauth.processAuthorizationCodeResponse(SERVER, client, await redeem());
  expect(token).toMatchObject({ token_type: "bearer", expires_in: expect.any(Number) as number });
  expect(await test.session(token.access_token)).toMatchObject({ user: { name: "Ada" } });
  await expect(
    oauth.processAuthorizationCodeResponse(SERVER, client, await redeem()),
  ).rejects.toMatchObject({ error: "invalid_grant" });

  const page = await test.web.browser.get(`/auth/authorize?${query}`);
  const denied = await submitForm(test.web.browser, page, { deny: "1" });
  const led = new URL(denied.headers.get("location") ?? "");
  expect(() => oauth.validateAuthResponse(SERVER, client, led, state)).toThrow(
    expect.objectContaining({ error: "access_denied" }) as Error,
  );
});

it("a client library of OAuth gets a token for a device, and is told to wait", async () => {
  const test = createNativeTest({ strategy: "hybrid" });
  await signIn(test.web.browser);
  const client: oauth.Client = { client_id: "cli" };
  const options = toOptions(test);
  const device = await oauth.processDeviceAuthorizationResponse(
    SERVER,
    client,
    await oauth.deviceAuthorizationRequest(
      SERVER,
      client,
      oauth.None(),
      new URLSearchParams(),
      options,
    ),
  );
  const ask = async () =>
    oauth.processDeviceCodeResponse(
      SERVER,
      client,
      await oauth.deviceCodeGrantRequest(SERVER, client, oauth.None(), device.device_code, options),
    );
  await expect(ask()).rejects.toMatchObject({ error: "authorization_pending" });
  await expect(ask()).rejects.toMatchObject({ error: "slow_down" });
  await submitForm(test.web.browser, await typeCode(test.web.browser, device.user_code));
  const token = await ask();
  expect(await test.session(token.access_token)).toMatchObject({ user: { name: "Ada" } });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 700_000 });
  await expect(ask()).rejects.toMatchObject({ error: expect.stringMatching(/grant|token/) });
});

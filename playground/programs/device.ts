/**
 * Signs in with a code that the user types into a browser on another device (RFC 8628): `node
 * playground/programs/device.ts`.
 */
import { setTimeout } from "node:timers/promises";
import * as oauth from "oauth4webapi";
import { CLIENT, discover, greet, LOCAL, ORIGIN } from "./playground.ts";

/** How a device shows the code to its user, and how it waits. */
export interface Screen {
  show(text: string): void;
  wait(seconds: number): Promise<unknown>;
}

/** Resolves to an access token once the user has approved the device. */
export async function signInByCode(origin: string, { show, wait }: Screen): Promise<string> {
  const server = await discover(origin);
  const started = await oauth.deviceAuthorizationRequest(server, CLIENT, oauth.None(), {}, LOCAL);
  const device = await oauth.processDeviceAuthorizationResponse(server, CLIENT, started);
  show(`Open ${device.verification_uri} and enter ${device.user_code}`);
  let { interval = 5 } = device;
  for (;;) {
    await wait(interval);
    const code = device.device_code;
    const asked = await oauth.deviceCodeGrantRequest(server, CLIENT, oauth.None(), code, LOCAL);
    try {
      return (await oauth.processDeviceCodeResponse(server, CLIENT, asked)).access_token;
    } catch (error) {
      if (!(error instanceof oauth.ResponseBodyError)) throw error;
      if (error.error === "slow_down") interval += 5;
      else if (error.error !== "authorization_pending") throw error;
    }
  }
}

if (import.meta.main) {
  const screen: Screen = {
    show: (text) => console.log(text),
    wait: (seconds) => setTimeout(seconds * 1000),
  };
  console.log(await greet(ORIGIN, await signInByCode(ORIGIN, screen)));
}

import type { Adapter, FlowContext } from "../../../src/kernel.ts";
import type { WebAuthnProvider } from "./provider.ts";

/** The context of a request to a WebAuthn provider. */
export type WebAuthnContext = FlowContext<WebAuthnProvider>;

/** The ceremonies that a browser can run. */
export type Action = "register" | "authenticate";

/** Returns the adapter. Boot fails without an adapter. */
export function getAdapter({ kernel }: WebAuthnContext): Adapter {
  return kernel.adapter as Adapter;
}

import type { Adapter, FlowContext } from "../../../src/kernel.ts";
import type { WebAuthnProvider } from "./provider.ts";

/** The context of a request to a WebAuthn provider. */
export type WebAuthnContext = FlowContext<WebAuthnProvider>;

/** The ceremonies that a browser may be asked for. */
export type Action = "register" | "authenticate";

/** Returns the adapter; boot fails without one. */
export function getAdapter({ kernel }: WebAuthnContext): Adapter {
  return kernel.adapter as Adapter;
}

import type { Adapter, FlowContext, WebAuthnProvider } from "../../../src/index.ts";

/** A request at the flow's door. */
export type WebAuthnContext = FlowContext<WebAuthnProvider>;

/** What a browser may be asked to do with a passkey. */
export type Action = "register" | "authenticate";

/** The adapter; the boot has made sure that there is one. */
export function adapterOf({ kernel }: WebAuthnContext): Adapter {
  return kernel.adapter as Adapter;
}

import type { customFetch, FlowContext } from "../../../src/kernel.ts";
import type { EmailProvider } from "./provider.ts";

/** An e-mail provider, completed at boot. */
export type AnyEmailProvider = EmailProvider & {
  /** Replaces `fetch` for requests to the provider's `api`. */
  [customFetch]?: typeof fetch;
};

/** The context of a request to an e-mail provider. */
export type EmailContext = FlowContext<AnyEmailProvider>;

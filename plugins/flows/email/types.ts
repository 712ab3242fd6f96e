import type { customFetch } from "../../../src/index.ts";
import type { EmailProvider, FlowContext } from "../../../src/index.ts";

/** A provider as the flow sees it, completed at boot. */
export type AnyEmailProvider = EmailProvider & {
  /** Stands in for `fetch` towards the provider's `api`. */
  [customFetch]?: typeof fetch;
};

/** A request at the flow's door. */
export type EmailContext = FlowContext<AnyEmailProvider>;

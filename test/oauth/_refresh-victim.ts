import type { StoreBackend } from "../../src/kernel.ts";
import { openBackend } from "../stores/_open.ts";
import { createRefreshApp, type RefreshSetting } from "./_refresh-app.ts";

// A process that is killed during the refresh of a token, by SIGKILL, which its own code cannot observe.

/** The instructions for the process. */
export interface RefreshOrder extends RefreshSetting {
  cookie: string;
  when: "before the request" | "after the response" | "after the outcome" | "after the account";
}

const order = JSON.parse(process.argv[2] ?? "{}") as RefreshOrder;
const { backend, close } = await openBackend(order);
const die = () => process.kill(process.pid, "SIGKILL");

// The refresh is the last request to the provider.
const send = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const isRefresh = (init?.body as URLSearchParams | undefined)
    ?.toString()
    .includes("grant_type=refresh_token");
  if (isRefresh && order.when === "before the request") die();
  const response = await send(input, init);
  if (isRefresh && order.when === "after the response") {
    await response.clone().arrayBuffer();
    die();
  }
  return response;
};

let isKept = false;
const watched: StoreBackend = {
  ...backend,
  async put(key, ...rest) {
    await backend.put(key, ...rest);
    if (!key.startsWith("refreshed-tokens.")) return;
    isKept = true;
    if (order.when === "after the outcome") die();
  },
  async compareAndSet(key, ...rest) {
    const done = await backend.compareAndSet(key, ...rest);
    if (isKept && order.when === "after the account" && key.startsWith("adapter-")) die();
    return done;
  },
};

await createRefreshApp(watched, order.issuer).call({ cookie: order.cookie });
await close();

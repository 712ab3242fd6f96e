import type { Kernel } from "../../../src/kernel.ts";
import type { ProviderClient } from "./client.ts";

/** Loads the requests to identity providers after the sign-in, such as those for new tokens. */
export async function loadProviderClient(kernel: Kernel): Promise<ProviderClient> {
  return (await import("./client.ts")).createProviderClient(kernel);
}

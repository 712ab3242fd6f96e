import type { Kernel } from "../../../src/kernel.ts";
import type { ProviderClient } from "./client.ts";

/** Loads the requests to identity providers after the sign-in, such as token refreshes. */
export async function loadProviderClient(kernel: Kernel): Promise<ProviderClient> {
  return (await import("./client.ts")).createProviderClient(kernel);
}

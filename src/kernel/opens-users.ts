import type { Kernel } from "../types/kernel.ts";

/** Returns whether a stored address can lead to its user: by a link by e-mail, or a provider that may link. */
export function opensUsers({ providers, flow }: Pick<Kernel, "providers" | "flow">): boolean {
  return [...providers.values()].some(
    (provider) =>
      provider.allowDangerousEmailAccountLinking === true || flow(provider.type).links === "email",
  );
}

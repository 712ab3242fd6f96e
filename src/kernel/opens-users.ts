import type { Kernel } from "../types/kernel.ts";

/** Returns whether users can sign in by their address alone, such as with a link by e-mail. */
export function hasEmailSignIn({ providers, flow }: Pick<Kernel, "providers" | "flow">): boolean {
  return [...providers.values()].some(({ type }) => flow(type).links === "email");
}

/** Returns whether a stored address can lead to its user: by an e-mail link, or a provider that may link accounts. */
export function opensUsers(kernel: Pick<Kernel, "providers" | "flow">): boolean {
  const links = [...kernel.providers.values()].some(
    (provider) => provider.allowDangerousEmailAccountLinking === true,
  );
  return links || hasEmailSignIn(kernel);
}

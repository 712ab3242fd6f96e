import type { RegisteredParts } from "../kernel/kernel.ts";
import type { PeerName } from "../kernel/peer-versions.ts";
import type { ProviderBase } from "../types/provider.ts";

/** The optional packages that plugins import on first use, by the plugin's name. */
const OF_PLUGINS: Readonly<Record<string, readonly PeerName[]>> = {
  "observability/opentelemetry": ["@opentelemetry/api"],
  "security/second-factor": ["otpauth", "uqr"],
};

// Tests for an e-mail provider that sends by SMTP, and neither through an API nor by code of the application.
function sendsBySmtp(provider: ProviderBase): boolean {
  const { smtp, api, server, sendVerificationRequest } = provider as ProviderBase &
    Partial<Record<"smtp" | "api" | "server" | "sendVerificationRequest", unknown>>;
  const isTransport = typeof server === "object" && server !== null && "sendMail" in server;
  return Boolean(smtp) && !api && !sendVerificationRequest && !isTransport;
}

/** Lists the optional packages that the registered parts import on first use. */
export function listNeededPackages({ plugins, registry }: RegisteredParts): PeerName[] {
  const providers = [...registry.providers.values()];
  const needs = (name: PeerName, uses: (provider: ProviderBase) => boolean) =>
    providers.some(uses) ? [name] : [];
  return [
    ...plugins.flatMap(({ name }) => OF_PLUGINS[name] ?? []),
    // A preset brings the passkey flow, whether or not the application has passkeys.
    ...needs("@simplewebauthn/server", ({ type }) => type === "webauthn"),
    ...needs("nodemailer", sendsBySmtp),
  ];
}

import { calculateJwkThumbprint, compactVerify, EmbeddedJWK } from "jose";
import { pageRenderer } from "../../plugins/pages/renderer.ts";
import { defineError, SignInError } from "../../src/errors.ts";
import {
  defineFlow,
  defineProvider,
  type FlowDefinition,
  type Plugin,
  type ProviderBase,
  type ProviderFactory,
} from "../../src/kernel.ts";

// A sign-in by key pair: the user signs a challenge, and the account is the thumbprint of the key (RFC 7638).
export interface KeypairProvider extends ProviderBase {
  type: "keypair";
}
const BadProof: typeof SignInError = defineError("BadProof", SignInError, 401, "public");

const definition: FlowDefinition<KeypairProvider> = {
  // The user may sign the challenge of another tab.
  tries: 3,
  page({ provider: { name, callbackUrl: action }, url }, { value }) {
    const form = { action, fields: [{ name: "proof" }], submit: name };
    return {
      title: name,
      blocks: [
        { kind: "text", text: `${url.host} ${value}` },
        { kind: "form", form },
      ],
    };
  },
  async finish(ctx, { value }) {
    const { proof } = await ctx.body();
    const proved = await compactVerify(String(proof), EmbeddedJWK).catch(() => undefined);
    const text = new TextDecoder().decode(proved?.payload);
    const { jwk } = proved?.protectedHeader ?? {};
    if (!jwk || text !== `${ctx.url.host} ${value}`) throw new BadProof("Not signed by the key.");
    return { user: {}, account: { providerAccountId: await calculateJwkThumbprint(jwk) } };
  },
};

export const keypairFlow: () => Plugin = defineFlow("keypair", definition, {
  plugins: [pageRenderer()],
  setup: (kernel) =>
    kernel.addError(BadProof, { messages: { en: "Wrong proof.", de: "Falscher Beweis." } }),
});

const logo = "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'/%3E";
export const keypairPlugin: ProviderFactory<KeypairProvider> = defineProvider<KeypairProvider>(
  keypairFlow,
  () => ({ id: "keypair", name: "Key pair", type: "keypair", style: { logo } }),
);

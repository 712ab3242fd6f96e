import { createHmac, timingSafeEqual } from "node:crypto";
import { defineError, SignInError } from "../../src/errors.ts";
import {
  defineFlow,
  defineProvider,
  type Plugin,
  type ProviderBase,
  type ProviderFactory,
} from "../../src/kernel.ts";

// A sign-in like those of messengers: the service redirects back with parameters and their HMAC.
export interface SignedProvider extends ProviderBase {
  type: "signed";
  url: string;
  key: string;
}
const BadSignature: typeof SignInError = defineError("BadSignature", SignInError, 401, "public");

export const sign = (parameters: Record<string, string>, key: string): Buffer =>
  createHmac("sha256", key).update(new URLSearchParams(parameters).toString()).digest();

export const signedFlow: () => Plugin = defineFlow<SignedProvider>("signed", (kernel) => {
  const messages = { en: "The signature is wrong.", de: "Die Signatur ist falsch." };
  kernel.addError(BadSignature, { messages });
  return {
    start: (ctx) =>
      ctx.redirect(
        `${ctx.provider.url}?${new URLSearchParams({ return_to: ctx.provider.callbackUrl })}`,
      ),
    async finish({ kernel, provider, url }) {
      const { hash = "", ...rest } = Object.fromEntries(url.searchParams) as Record<string, string>;
      const expected = sign(rest, provider.key);
      const given = Buffer.from(hash, "hex");
      const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
      const isFresh = Math.abs(Date.now() / 1000 - Number(rest.date)) < 300;
      if (!isSigned || !isFresh || !(await kernel.useOnce("signed", hash))) {
        throw new BadSignature("The parameters are not signed, too old or used.");
      }
      return { user: { name: rest.name ?? null }, account: { providerAccountId: rest.id ?? "" } };
    },
  };
});

const logo = "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'/%3E";
export const messengerPlugin: ProviderFactory<SignedProvider, { key: string }> = defineProvider<
  SignedProvider,
  { key: string }
>(signedFlow, ({ key }) => ({
  id: "messenger",
  name: "Messenger",
  type: "signed",
  url: "https://messenger.example/login",
  key,
  style: { logo },
}));

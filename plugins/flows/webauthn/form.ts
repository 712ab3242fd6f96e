import type {
  AuthContext,
  Block,
  CredentialInput,
  Field,
  LiveForm,
  Reading,
  ResolvedProvider,
  WebAuthnProvider,
} from "../../../src/index.ts";
import { MARK } from "./mark.ts";
import { isOpen } from "./resolve.ts";
import { scriptPath } from "./script.ts";
import { SCRIPT_INTEGRITY } from "./browser-script-hash.ts";

/** The name that every language has a word for; another one is the application's own. */
const DEFAULT_NAME = "Passkey";

/** What a button says: the first text of passkeys as such, the second one where they have a name. */
export function labelOf(
  { name }: WebAuthnProvider,
  { say }: Reading,
  plain: string,
  named: string,
): string {
  return name === DEFAULT_NAME ? say(plain) : say(named, { name });
}

/** What brings a form of passkeys to life, and what it says when that goes wrong. */
export function livelyOf({ base }: AuthContext, { say }: Reading, failed: string): LiveForm {
  return {
    script: base + scriptPath,
    integrity: SCRIPT_INTEGRITY,
    instead: say("passkey.instead"),
    failed,
  };
}

function fieldOf(name: string, input: CredentialInput, offers: boolean, { say }: Reading): Field {
  const known = name === "email" ? say("passkey.email") : name;
  const { label = known, type = "text", value, autocomplete, ...attributes } = input;
  const told = offers ? autocomplete : autocomplete?.replace(/\s*\bwebauthn\s*$/, "");
  return {
    name,
    label,
    type,
    attributes: { ...attributes, "data-form-field": "", ...(told && { autocomplete: told }) },
    ...(value !== undefined && { value }),
  };
}

/** The block on the sign-in page: a form that the page's script brings to life. */
export function formOf(
  provider: ResolvedProvider<WebAuthnProvider>,
  ctx: AuthContext,
  reading: Reading,
): Block | undefined {
  const { id, style, callbackUrl, enableConditionalUI = false } = provider;
  const fields = Object.entries(provider.formFields ?? {});
  return {
    kind: "form",
    provider: id,
    form: {
      id: `${id}-form`,
      action: callbackUrl,
      fields: fields.map(([key, input]) => fieldOf(key, input, enableConditionalUI, reading)),
      mark: MARK,
      submit: labelOf(provider, reading, "passkey.signin", "signin.with"),
      ...(isOpen(ctx.kernel, provider) && {
        other: {
          submit: labelOf(provider, reading, "passkey.register", "passkey.register.by"),
          name: "action",
          value: "register",
        },
      }),
      ...(style?.brandColor && { color: style.brandColor }),
      live: livelyOf(ctx, reading, reading.say("passkey.failed")),
    },
  };
}

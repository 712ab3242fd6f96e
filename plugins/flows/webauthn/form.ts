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

/** What brings a form of passkeys to life, and what it says when that goes wrong. */
export function liveForm({ base }: AuthContext, { say }: Reading, failed: string): LiveForm {
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
  const { id, name, style, callbackUrl, enableConditionalUI = false } = provider;
  const { say } = reading;
  const isPlain = name === DEFAULT_NAME;
  const fields = Object.entries(provider.formFields ?? {});
  return {
    kind: "form",
    provider: id,
    form: {
      id: `${id}-form`,
      action: callbackUrl,
      fields: fields.map(([key, input]) => fieldOf(key, input, enableConditionalUI, reading)),
      submit: isPlain ? say("passkey.signin") : say("signin.with", { name }),
      mark: MARK,
      ...(isOpen(ctx.kernel, provider) && {
        other: {
          submit: isPlain ? say("passkey.register") : say("passkey.register.by", { name }),
          name: "action",
          value: "register",
        },
      }),
      ...(style?.brandColor && { color: style.brandColor }),
      live: liveForm(ctx, reading, say("passkey.failed")),
    },
  };
}

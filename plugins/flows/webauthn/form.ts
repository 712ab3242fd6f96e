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

/** What brings a form of passkeys to life. */
export function liveForm({ base }: AuthContext, { say }: Reading): LiveForm {
  return {
    script: base + scriptPath,
    integrity: SCRIPT_INTEGRITY,
    instead: say("passkey.instead"),
    failed: say("passkey.failed"),
  };
}

function fieldOf(name: string, input: CredentialInput, offers: boolean): Field {
  const { label = name, type = "text", value, autocomplete, ...attributes } = input;
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
  const fields = Object.entries(provider.formFields ?? {});
  return {
    kind: "form",
    provider: id,
    form: {
      id: `${id}-form`,
      action: callbackUrl,
      fields: fields.map(([key, input]) => fieldOf(key, input, enableConditionalUI)),
      submit: reading.say("signin.with", { name }),
      mark: MARK,
      ...(isOpen(ctx.kernel, provider) && {
        other: {
          submit: reading.say("passkey.register", { name }),
          name: "action",
          value: "register",
        },
      }),
      ...(style?.brandColor && { color: style.brandColor }),
      live: liveForm(ctx, reading),
    },
  };
}

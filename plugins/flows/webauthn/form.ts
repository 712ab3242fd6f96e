import type {
  AuthContext,
  Block,
  CredentialInput,
  Field,
  ResolvedProvider,
  WebAuthnProvider,
} from "../../../src/index.ts";
import { isOpen } from "./resolve.ts";
import { scriptPath } from "./script.ts";
import { SCRIPT_INTEGRITY } from "./browser-script-hash.ts";

const INSTEAD = "Passkeys need a browser that knows them, with JavaScript switched on.";
const FAILED = "That did not work. Try again, or sign in another way.";

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
      submit: `Sign in with ${name}`,
      ...(isOpen(ctx.kernel, provider) && {
        other: { submit: `Register with ${name}`, name: "action", value: "register" },
      }),
      ...(style?.brandColor && { color: style.brandColor }),
      live: {
        script: ctx.base + scriptPath,
        integrity: SCRIPT_INTEGRITY,
        instead: INSTEAD,
        failed: FAILED,
      },
    },
  };
}

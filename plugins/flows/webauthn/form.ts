import { translateLabel } from "../../../src/_kit.ts";
import type {
  AuthContext,
  Block,
  CredentialInput,
  Field,
  FormScript,
  Translator,
  ResolvedProvider,
} from "../../../src/kernel.ts";
import { SCRIPT_INTEGRITY } from "./browser/script-hash.ts";
import { ICON } from "./icon.ts";
import type { WebAuthnProvider } from "./provider.ts";
import { isOpen } from "./resolve.ts";
import { scriptPath } from "./script.ts";

/** The provider name that has translations in every language. Any other name is printed unchanged. */
const DEFAULT_NAME = "Passkey";

/** Returns the script that a passkey form needs, with its texts for failures. */
export function buildFormScript(
  { base }: AuthContext,
  { t }: Translator,
  failure: string,
): FormScript {
  return {
    src: base + scriptPath,
    integrity: SCRIPT_INTEGRITY,
    fallback: t("passkey.instead"),
    failure,
  };
}

function buildField(
  name: string,
  input: CredentialInput,
  offers: boolean,
  registers: boolean,
  translator: Translator,
): Field {
  // The page may have another field for an address, so the label says what this field is for.
  const email = registers ? "passkey.email" : "passkey.autofill";
  const known = name === "email" ? email : name;
  const { label = known, type = "text", value, autocomplete, ...attributes } = input;
  const autofill = offers
    ? autocomplete
    : autocomplete
        ?.trimEnd()
        .replace(/\bwebauthn$/, "")
        .trimEnd();
  return {
    name,
    label: translateLabel(label, translator),
    type,
    attributes: {
      ...(attributes as Field["attributes"]),
      "data-form-field": "",
      ...(autofill && { autocomplete: autofill }),
    },
    ...(value !== undefined && { value }),
  };
}

/** Returns the form for the sign-in page, which the page's script activates. */
export function buildForm(
  provider: ResolvedProvider<WebAuthnProvider>,
  ctx: AuthContext,
  translator: Translator,
): Block | undefined {
  const { id, name, style, callbackUrl, enableConditionalUI = false } = provider;
  const { t } = translator;
  const isPlain = name === DEFAULT_NAME;
  const registers = isOpen(ctx.kernel, provider);
  const fields = Object.entries(provider.formFields ?? {}).map(([key, input]) =>
    buildField(key, input, enableConditionalUI, registers, translator),
  );
  return {
    kind: "form",
    provider: id,
    form: {
      id: `${id}-form`,
      action: callbackUrl,
      // Without a registration, the browser offers its passkeys in these fields.
      ...(!registers && { fields }),
      submit: isPlain ? t("passkey.signin") : t("signin.with", { name }),
      icon: ICON,
      ...(registers && {
        other: {
          fields,
          submit: isPlain ? t("passkey.register") : t("passkey.register.by", { name }),
          name: "action",
          value: "register",
        },
      }),
      ...(style?.brandColor && { color: style.brandColor }),
      script: buildFormScript(ctx, translator, t("passkey.failed")),
    },
  };
}

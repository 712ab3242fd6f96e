import type { Block, Field, Translator } from "../../../src/kernel.ts";

/** Returns a posted field as text, empty if it is not text. */
export function toText(field: unknown): string {
  return typeof field === "string" ? field : "";
}

/** Builds the field for a code, which consists of digits. */
export function codeField({ t }: Translator, autofocus = false): Field {
  const attributes = {
    required: true,
    inputmode: "numeric",
    autocomplete: "one-time-code",
    dir: "ltr",
    autofocus,
  };
  return { name: "code", label: t("factor.code"), attributes };
}

const PLAIN = { autocapitalize: "none", spellcheck: false, dir: "ltr" };

/** Builds the form that accepts a recovery code instead of a code, collapsed. */
export function recoveryBlock({ t }: Translator, action: string): Block {
  const attributes = { ...PLAIN, required: true, autocomplete: "off" };
  const fields = [{ name: "code", label: t("factor.recovery.code"), attributes }];
  return {
    kind: "more",
    text: t("factor.recovery"),
    blocks: [{ kind: "form", form: { action, fields, submit: t("factor.submit"), look: "plain" } }],
  };
}

/**
 * Builds the forms for an active second factor. Each accepts a code of either kind. `renewal` is the field with the
 * user's possible new recovery codes.
 */
export function managementBlocks({ t }: Translator, base: string, renewal: string): Block[] {
  const attributes = { ...PLAIN, required: true, autocomplete: "one-time-code" };
  const fields = [{ name: "code", label: t("factor.any"), attributes }];
  const renew = {
    action: `${base}/second-factor/recovery-codes`,
    hidden: { renewal },
    fields,
    submit: t("factor.renew"),
  };
  const remove = { action: `${base}/second-factor/remove`, fields, submit: t("factor.remove") };
  return [
    {
      kind: "more",
      text: renew.submit,
      blocks: [
        { kind: "text", text: t("factor.renew.text") },
        { kind: "form", form: { ...renew, look: "plain" } },
      ],
    },
    {
      kind: "more",
      text: remove.submit,
      blocks: [{ kind: "form", form: { ...remove, look: "danger" } }],
    },
  ];
}

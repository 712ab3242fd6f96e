import {
  defineComponent,
  type DefineSetupFnComponent,
  h,
  onMounted,
  ref,
  type SlotsType,
  type VNodeChild,
} from "vue";
import type { SignInMethod } from "./sign-in.ts";

/** Properties of `<SignInForm>`. All others are passed to the form. */
export interface SignInFormProps {
  /** One of `methods` of `useSignIn()`. */
  method: SignInMethod;
}

/** Attributes of an input, and its label. */
export type SignInInput = Record<string, unknown> & { name: string; label: string };

/** A second button, which posts its own field, such as for a new passkey. */
export interface OtherButton {
  readonly name: string;
  readonly value: string;
  /** Text of the button. */
  readonly submit: string;
  /** The inputs that only this button needs. */
  readonly fields: readonly SignInInput[];
}

/** The props of the default slot of `<SignInForm>`, which draws the form's content. */
export interface SignInFormSlot {
  readonly fields: readonly SignInInput[];
  /** Text of the button. */
  readonly label: string;
  readonly other: OtherButton | undefined;
}

function toInput({
  name,
  label = name,
  type = "text",
  value,
  attributes,
}: SignInMethod["fields"][number]): SignInInput {
  return { ...attributes, name, label, type, ...(value !== undefined && { value }) };
}

const drawInput = ({ label, ...attributes }: SignInInput) =>
  h("label", [label, " ", h("input", attributes)]);

function drawContent({ fields, label, other }: SignInFormSlot): VNodeChild[] {
  return [
    ...fields.map(drawInput),
    h("button", { type: "submit" }, label),
    ...(other?.fields.map(drawInput) ?? []),
    other && h("button", { type: "submit", name: other.name, value: other.value }, other.submit),
  ];
}

/**
 * The form of a sign-in method, with its hidden fields. The default slot draws inputs and buttons; without it, plain
 * ones are used. A passkey's form needs a script. Without a script, its text names the alternatives.
 */
export const signInForm: DefineSetupFnComponent<
  SignInFormProps,
  {},
  SlotsType<{ default: SignInFormSlot }>
> = defineComponent(
  (props: SignInFormProps, { attrs, slots }) => {
    const isMounted = ref(false);
    onMounted(() => void (isMounted.value = true));
    return () => {
      const { action, fields, hidden, label, other, script, submit } = props.method;
      const given: SignInFormSlot = {
        fields: fields.map(toInput),
        label,
        other: other && { ...other, fields: (other.fields ?? []).map(toInput) },
      };
      const inputs = Object.entries(hidden).map(([name, value]) =>
        h("input", { type: "hidden", name, value }),
      );
      const content = slots.default?.(given) ?? drawContent(given);
      const isHidden = script !== undefined && !isMounted.value;
      const form = { ...attrs, method: "post", action, onSubmit: submit, hidden: isHidden };
      return [
        // A passkey's form requires fields only for a new account. The server reports missing ones.
        h("form", { ...form, novalidate: script !== undefined }, [...inputs, content]),
        isHidden && h("noscript", script.fallback),
      ];
    };
  },
  { name: "SignInForm", inheritAttrs: false, props: ["method"] },
) as never;

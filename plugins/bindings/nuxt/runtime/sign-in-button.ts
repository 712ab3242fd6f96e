import { defineComponent, type DefineSetupFnComponent, h, type SlotsType } from "vue";
import { base, basePath } from "#build/keyhook.mjs";
import { useRoute } from "#imports";
import type { SignInResult } from "../../../../src/client.ts";
import { useAuth } from "./composables.ts";

/** Properties of `<SignInButton>`; all others are the button's. */
export interface SignInButtonProps {
  /** Id of the provider. Without it, and without a script, the button leads to the sign-in page. */
  provider?: string;
  /** Where the sign-in leads. Default: this page, without a script without its query. */
  redirectTo?: string;
}

/** Properties of `<SignOutButton>`; all others are the button's. */
export interface SignOutButtonProps {
  /** Where it leads afterwards. Default: this page, without a script without its query. */
  redirectTo?: string;
}

type Slots = SlotsType<{ default: undefined }>;
type Run = (given: { redirectTo?: string }) => Promise<SignInResult>;

/** A button of a form that leads to a page of Keyhook, for browsers without a script and servers without a response. */
function useButton(page: string, text: string, run: Run) {
  // Of a lasting layout the route changes.
  const route = useRoute();
  return (redirectTo: string | undefined, attrs: object, content: unknown) => {
    const onSubmit = async (event: Event) => {
      event.preventDefault();
      const form = event.currentTarget as HTMLFormElement;
      const { ok, url } = await run(redirectTo === undefined ? {} : { redirectTo });
      // The browser tells the visitor what is wrong with the network.
      if (!ok && url === null) form.submit();
    };
    const value = redirectTo ?? base.replace(/\/$/, "") + route.path;
    return h("form", { action: basePath + page, onSubmit }, [
      h("input", { type: "hidden", name: "callbackUrl", value }),
      h("button", { type: "submit", ...attrs }, (content as never) ?? text),
    ]);
  };
}

/** A button that signs in with a provider, or leads to the sign-in page. Its text is the default slot. */
export const signInButton: DefineSetupFnComponent<SignInButtonProps, {}, Slots> = defineComponent(
  (props: SignInButtonProps, { attrs, slots }) => {
    const { signIn } = useAuth();
    const draw = useButton("/signin", "Sign in", async (given) => signIn(props.provider, given));
    return () => draw(props.redirectTo, attrs, slots.default?.());
  },
  { name: "SignInButton", inheritAttrs: false, props: ["provider", "redirectTo"] },
) as never;

/** A button that signs out; without a script it leads to the page that asks first. */
export const signOutButton: DefineSetupFnComponent<SignOutButtonProps, {}, Slots> = defineComponent(
  (props: SignOutButtonProps, { attrs, slots }) => {
    const { signOut } = useAuth();
    const draw = useButton("/signout", "Sign out", async (given) => signOut(given));
    return () => draw(props.redirectTo, attrs, slots.default?.());
  },
  { name: "SignOutButton", inheritAttrs: false, props: ["redirectTo"] },
) as never;

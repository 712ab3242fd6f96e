import { defineComponent, type DefineSetupFnComponent, h, type SlotsType } from "vue";
import { base, basePath } from "#build/keyhook.mjs";
import { useRoute } from "#imports";
import type { SignInResult } from "../../../../src/client.ts";
import { useAuth } from "./composables.ts";

/** Properties of `<SignInButton>`. All others are passed to the button. */
export interface SignInButtonProps {
  /** Id of the provider. Without it, and without a script, the button leads to the sign-in page. */
  provider?: string;
  /** Target after the sign-in. Default: this page, or without a script, this page without its query. */
  redirectTo?: string;
}

/** Properties of `<SignOutButton>`. All others are passed to the button. */
export interface SignOutButtonProps {
  /** Target after the sign-out. Default: this page, or without a script, this page without its query. */
  redirectTo?: string;
}

type Slots = SlotsType<{ default: undefined }>;
type Run = (given: { redirectTo?: string }) => Promise<SignInResult>;

/** A button in a form that leads to a page of Keyhook, in case there is no script or the server does not respond. */
function useButton(page: string, text: string, run: Run) {
  // In a layout that persists, the route changes.
  const route = useRoute();
  return (redirectTo: string | undefined, attrs: object, content: unknown) => {
    const onSubmit = async (event: Event) => {
      event.preventDefault();
      const form = event.currentTarget as HTMLFormElement;
      const { ok, url } = await run(redirectTo === undefined ? {} : { redirectTo });
      // The browser then tells the visitor what is wrong with the network.
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

/** A button that signs out. Without a script it leads to the page that asks first. */
export const signOutButton: DefineSetupFnComponent<SignOutButtonProps, {}, Slots> = defineComponent(
  (props: SignOutButtonProps, { attrs, slots }) => {
    const { signOut } = useAuth();
    const draw = useButton("/signout", "Sign out", async (given) => signOut(given));
    return () => draw(props.redirectTo, attrs, slots.default?.());
  },
  { name: "SignOutButton", inheritAttrs: false, props: ["redirectTo"] },
) as never;

import type { Snippet } from "svelte";
import type { AuthorizationParams, SignInResult, SignOutResult } from "../../../src/client.ts";
import { useAuth } from "./session.ts";

/** Props that `SignIn` and `SignOut` have in common. */
export interface FormProps<Result> {
  options?: { redirectTo?: string; redirect?: boolean };
  className?: string;
  /** What stands on the button. */
  submitButton?: Snippet;
  /** Told how it went; with `options.redirect` false the page stays. */
  onresult?: (result: Result) => void;
}

/** Props of `SignIn`. */
export interface SignInProps extends FormProps<SignInResult> {
  /** Id of the provider. Without one it leads to the sign-in page. */
  provider?: string;
  authorizationParams?: AuthorizationParams;
  /** The form's fields, such as an address or a name and a password. */
  children?: Snippet;
  /** Path of a page whose form action signs in. Without one the browser does it by itself. */
  signInPage?: string;
}

/** Props of `SignOut`. */
export interface SignOutProps extends FormProps<SignOutResult> {
  /** Path of a page whose form action signs out. Without one the browser does it by itself. */
  signOutPage?: string;
}

/** A form's `onsubmit`. */
export type OnSubmit = (event: SubmitEvent) => void;

/** A form that is posted natively, or done by the client: what its element needs. */
export interface FormParts {
  action: string;
  method: "get" | "post";
  hidden: [name: string, value: string][];
  onsubmit?: OnSubmit;
}

// A second press while the first is under way does nothing.
function once(work: (fields: Record<string, string>) => Promise<unknown>): OnSubmit {
  let isBusy = false;
  return (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    const texts = [...new FormData(event.currentTarget as HTMLFormElement)].filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    void work(Object.fromEntries(texts)).finally(() => (isBusy = false));
  };
}

function choices({ redirectTo, redirect }: NonNullable<SignInProps["options"]>) {
  const all: [string, string | undefined][] = [
    ["redirectTo", redirectTo],
    // Any text counts as yes, an empty one as no.
    ["redirect", redirect === false ? "" : undefined],
  ];
  return all.filter((entry): entry is [string, string] => entry[1] !== undefined);
}

/** Makes the parts of `SignIn`'s form; to be called while a component is made. */
export function signInForm(): (props: SignInProps) => FormParts {
  const { basePath, signIn } = useAuth();
  return ({ provider, options = {}, authorizationParams = {}, children, signInPage, onresult }) => {
    if (signInPage !== undefined) {
      const params = [...new URLSearchParams(authorizationParams)].map(
        ([name, value]): [string, string] => [`authorizationParams-${name}`, value],
      );
      const hidden: [string, string][] = [["providerId", provider ?? ""], ...choices(options)];
      return { action: signInPage, method: "post", hidden: [...hidden, ...params] };
    }
    return {
      action: `${basePath}/signin`,
      // Where scripts are late it leads to the sign-in page; but no password into an URL.
      method: children ? "post" : "get",
      hidden: options.redirectTo === undefined ? [] : [["callbackUrl", options.redirectTo]],
      onsubmit: once(async ({ callbackUrl: _, ...fields }) => {
        const result = await signIn(
          provider || undefined,
          { ...fields, ...options },
          authorizationParams,
        );
        onresult?.(result);
      }),
    };
  };
}

/** Makes the parts of `SignOut`'s form; to be called while a component is made. */
export function signOutForm(): (props: SignOutProps) => FormParts {
  const { basePath, signOut } = useAuth();
  return ({ options = {}, signOutPage, onresult }) => {
    if (signOutPage !== undefined) {
      return { action: signOutPage, method: "post", hidden: choices(options) };
    }
    return {
      action: `${basePath}/signout`,
      method: "get",
      hidden: options.redirectTo === undefined ? [] : [["callbackUrl", options.redirectTo]],
      onsubmit: once(async () => {
        const result = await signOut(options);
        onresult?.(result);
      }),
    };
  };
}

import type { Snippet } from "svelte";
import type { AuthorizationParams, SignInResult, SignOutResult } from "../../../src/client.ts";
import { useAuth } from "./session.ts";

/** Props that `SignIn` and `SignOut` share. */
export interface FormProps<Result> {
  /** Options of `signIn` or `signOut`. */
  options?: { redirectTo?: string; redirect?: boolean };
  className?: string;
  /** Content of the button. */
  submitButton?: Snippet;
  /**
   * Called with the result. With `options.redirect: false` the page stays. Without either, a form that gets no response
   * is submitted natively, as without a script.
   */
  onresult?: (result: Result) => void;
}

/** Props of `SignIn`. */
export interface SignInProps extends FormProps<SignInResult> {
  /** Id of the provider. Without it, the form redirects to the sign-in page. */
  provider?: string;
  authorizationParams?: AuthorizationParams;
  /** Fields of the form, such as an address or a name and a password. */
  children?: Snippet;
  /**
   * Path of a page whose form action signs in, such as `/signin` or `?/signIn`. Without it, the browser calls the
   * routes directly.
   */
  signInPage?: string;
}

/** Props of `SignOut`. */
export interface SignOutProps extends FormProps<SignOutResult> {
  /** Path of a page whose form action signs out. Without it, the browser calls the routes directly. */
  signOutPage?: string;
}

/** The `onsubmit` handler of a form. */
export type OnSubmit = (event: SubmitEvent) => void;

/** The attributes and hidden fields of a form that is posted natively or handled by the client. */
export interface FormParts {
  action: string;
  method: "get" | "post";
  hidden: [name: string, value: string][];
  onsubmit?: OnSubmit;
}

// Ignores a second submit while the first is pending.
function handle<Result extends SignInResult>(
  { options, onresult }: FormProps<Result>,
  work: (fields: Record<string, string>) => Promise<Result>,
): OnSubmit {
  let isBusy = false;
  return (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    const form = event.currentTarget as HTMLFormElement;
    const texts = [...new FormData(form)].filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    void work(Object.fromEntries(texts)).then((result) => {
      isBusy = false;
      if (onresult) onresult(result);
      // The browser then tells the visitor what is wrong with the network.
      else if (!result.ok && result.url === null && options?.redirect !== false) form.submit();
    });
  };
}

function choices({ redirectTo, redirect }: NonNullable<SignInProps["options"]>) {
  const all: [string, string | undefined][] = [
    ["redirectTo", redirectTo],
    // Any text counts as `true`, an empty text as `false`.
    ["redirect", redirect === false ? "" : undefined],
  ];
  return all.filter((entry): entry is [string, string] => entry[1] !== undefined);
}

// A name without a slash is a page of the application, wherever the form is.
const toAction = (page: string): string => (/^(?:[/?]|[a-z]+:)/i.test(page) ? page : `/${page}`);

/** Returns the function that builds the parts of `SignIn`'s form. Call it during component initialization. */
export function signInForm(): (props: SignInProps) => FormParts {
  const { basePath, signIn } = useAuth();
  return (props) => {
    const { provider, options = {}, authorizationParams = {}, children, signInPage } = props;
    if (signInPage !== undefined) {
      const params = [...new URLSearchParams(authorizationParams)].map(
        ([name, value]): [string, string] => [`authorizationParams-${name}`, value],
      );
      const hidden: [string, string][] = [["providerId", provider ?? ""], ...choices(options)];
      return { action: toAction(signInPage), method: "post", hidden: [...hidden, ...params] };
    }
    return {
      action: `${basePath}/signin`,
      // Before scripts are loaded, a submit opens the sign-in page. Forms with fields post, so that no password gets
      // into a URL.
      method: children ? "post" : "get",
      hidden: options.redirectTo === undefined ? [] : [["callbackUrl", options.redirectTo]],
      onsubmit: handle(props, async ({ callbackUrl: _, ...fields }) =>
        signIn(provider || undefined, { ...fields, ...options }, authorizationParams),
      ),
    };
  };
}

/** Returns the function that builds the parts of `SignOut`'s form. Call it during component initialization. */
export function signOutForm(): (props: SignOutProps) => FormParts {
  const { basePath, signOut } = useAuth();
  return (props) => {
    const { options = {}, signOutPage } = props;
    if (signOutPage !== undefined) {
      return { action: toAction(signOutPage), method: "post", hidden: choices(options) };
    }
    return {
      action: `${basePath}/signout`,
      method: "get",
      hidden: options.redirectTo === undefined ? [] : [["callbackUrl", options.redirectTo]],
      onsubmit: handle(props, async () => signOut(options)),
    };
  };
}

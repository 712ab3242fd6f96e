import { definePlugin } from "../../src/index.ts";
import { toOwnPage } from "./own-page.ts";
import type { AuthContext, Awaitable, Block, Plugin } from "../../src/index.ts";

/** What an error's page says. */
interface Explanation {
  status: number;
  heading: string;
  text: string;
  /** Label of the link to the sign-in page. */
  again: string;
}

const LINKED: Explanation = {
  status: 409,
  heading: "Account exists already",
  text: "What you signed in with belongs to another account. Sign in the way you did before.",
  again: "Sign in",
};

/** The errors that can be told from one another, by `error`. */
const EXPLANATIONS: ReadonlyMap<string, Explanation> = new Map([
  [
    "AccessDenied",
    {
      status: 403,
      heading: "Access denied",
      text: "You do not have permission to sign in.",
      again: "Sign in with another account",
    },
  ],
  ["AccountNotLinked", LINKED],
  [
    "BadRequest",
    {
      status: 400,
      heading: "That did not work",
      text: "Something was wrong with the request.",
      again: "Start again",
    },
  ],
  [
    "Configuration",
    {
      status: 500,
      heading: "Server error",
      text:
        "The sign-in failed on our side, and it was logged. Please try again. " +
        "If it keeps happening, tell the people who run this site.",
      again: "Try again",
    },
  ],
  [
    "CredentialsSignin",
    {
      status: 401,
      heading: "Unable to sign in",
      text: "Check what you entered.",
      again: "Try again",
    },
  ],
  [
    "InvalidCheck",
    {
      status: 400,
      heading: "Unable to sign in",
      text: "The sign-in took too long, or its cookies were lost.",
      again: "Try again",
    },
  ],
  [
    "MissingCSRF",
    {
      status: 403,
      heading: "Please try again",
      text: "The page was open for too long, or your browser blocks its cookies.",
      again: "Try again",
    },
  ],
  ["OAuthAccountNotLinked", LINKED],
  [
    "OAuthCallbackError",
    {
      status: 401,
      heading: "Unable to sign in",
      text: "The sign-in did not go through, or it was cancelled.",
      again: "Try again",
    },
  ],
  [
    "Verification",
    {
      status: 403,
      heading: "Unable to sign in",
      text: "The sign-in link is no longer valid: it was used before, or it is too old.",
      again: "Ask for a new link",
    },
  ],
  [
    "WebAuthnVerificationError",
    {
      status: 401,
      heading: "Unable to sign in",
      text: "The passkey could not be verified.",
      again: "Try again",
    },
  ],
]);

const FOR_DEVELOPERS: Block = {
  kind: "text",
  text: "Developers: the server's log says what happened.",
};

// Nothing is known to have failed, so the answer itself is no failure.
const UNKNOWN: Explanation = {
  status: 200,
  heading: "Something went wrong",
  text: "The sign-in could not be finished.",
  again: "Try again",
};

function showError(ctx: AuthContext): Awaitable<Response> {
  const { pages, production } = ctx.kernel.config;
  const error = ctx.url.searchParams.get("error") || undefined;
  const response = toOwnPage(ctx, pages.error, { error });
  if (response) return response;

  const { status, heading, text, again } = EXPLANATIONS.get(error ?? "") ?? UNKNOWN;
  return ctx.page({
    name: "error",
    title: "Error",
    heading,
    status,
    message: { tone: "error", text },
    blocks: [
      ...(status === 500 && !production ? [FOR_DEVELOPERS] : []),
      { kind: "link", text: again, href: `${ctx.base}/signin`, button: true },
      { kind: "link", text: `Go to ${new URL(ctx.origin).host}`, href: ctx.origin },
    ],
  });
}

/** The page that explains an error; `pages.error` leads to the application's own. */
export function errorPage(): Plugin {
  return definePlugin({
    name: "pages/error",
    setup(kernel) {
      kernel.addRoute({ method: "GET", path: "/error", handler: showError });
    },
  });
}

export default errorPage;

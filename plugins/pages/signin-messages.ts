import type { Messages } from "../../src/index.ts";

/** What the sign-in page says, by the `error` that led to it. The first ones are Auth.js 4's. */
export const MESSAGE_IDS: ReadonlyMap<string, string> = new Map([
  ["Signin", "signin.error.failed"],
  ["OAuthSignin", "signin.error.failed"],
  ["OAuthCallback", "signin.error.failed"],
  ["OAuthCreateAccount", "signin.error.failed"],
  ["EmailCreateAccount", "signin.error.failed"],
  ["Callback", "signin.error.failed"],
  ["EmailSignin", "signin.error.unsent"],
  ["SessionRequired", "signin.required"],
  ["AccessDenied", "signin.error.denied"],
  ["AccountNotLinked", "signin.error.passkey-taken"],
  ["BadRequest", "signin.error.request"],
  ["Configuration", "signin.error.broken"],
  ["CredentialsSignin", "signin.error.credentials"],
  ["EmailSignInError", "signin.error.unsent"],
  ["InvalidCheck", "signin.error.check"],
  ["MissingCSRF", "signin.error.csrf"],
  ["OAuthAccountNotLinked", "signin.error.taken"],
  ["OAuthCallbackError", "signin.error.failed"],
  ["OAuthSignInError", "signin.error.unreachable"],
  ["Verification", "signin.error.link"],
  ["WebAuthnVerificationError", "signin.error.passkey"],
]);

/** The page's texts. */
export const ENGLISH: Messages = {
  "signin.title": "Sign In",
  "signin.heading": "Sign in",
  "signin.or": "or",
  "signin.more": "{count} more ways to sign in",
  "signin.closed": "Nobody can sign in here yet. Please come back later.",
  "signin.required": "Please sign in to see this page.",
  "signin.error.broken":
    "This way to sign in does not work at the moment. Try another one, or come back later.",
  "signin.error.check": "The sign-in took too long, or its cookies were lost. Please try again.",
  "signin.error.credentials": "The sign-in failed. Check what you entered, and try again.",
  "signin.error.denied":
    "You do not have permission to sign in. Use another account, or ask the people who run this site.",
  "signin.error.failed": "The sign-in did not go through. Try again, or use a different account.",
  "signin.error.link":
    "The sign-in link is no longer valid: it was used before, or it is too old. Ask for a new one.",
  "signin.error.passkey": "The passkey could not be verified. Please try again.",
  "signin.error.passkey-taken":
    "This passkey or its address belongs to an account already. Sign in the way you signed in before.",
  "signin.error.request": "Something was wrong with the request. Please try again.",
  "signin.error.taken":
    "Your address belongs to an account already. Sign in the way you signed in before.",
  "signin.error.unknown": "Something went wrong. Please try again.",
  "signin.error.unreachable":
    "The service you chose cannot be reached. Try again, or choose another.",
  "signin.error.unsent": "The email could not be sent. Check the address, or try again later.",
};

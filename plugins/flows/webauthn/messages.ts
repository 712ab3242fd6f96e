import type { Messages } from "../../../src/kernel.ts";

/** The texts of the form, of the account page's section and of the flow's errors. */
export const ENGLISH: Messages = {
  "passkey.email": "Email for your new account",
  "passkey.autofill": "Email",
  "passkey.signin": "Sign in with a passkey",
  "passkey.register": "Sign up with a passkey",
  "passkey.register.by": "Sign up with {name}",
  "passkey.instead": "Passkeys need JavaScript and a browser that supports them.",
  "passkey.failed":
    "The passkey request failed or was canceled. Try again, or use another sign-in method.",
  "passkey.heading": "Passkeys",
  "passkey.text": "Sign in with your fingerprint, face, or device PIN instead of a password.",
  "passkey.one": "Passkey {number}",
  "passkey.synced": "Synced",
  "passkey.single": "On one device only",
  "passkey.added": "Added on {date}",
  "passkey.add": "Add a passkey",
  "passkey.add.failed":
    "We couldn’t add a passkey. You may already have one on this device, or the request was canceled. Try again.",
  "passkey.remove": "Remove",
  "passkey.remove.what": "Remove passkey {number}",
  "signin.error.passkey":
    "We couldn’t verify your passkey. Try again, or use another sign-in method.",
  "signin.error.passkey-taken":
    "An account with this passkey or email already exists. Sign in with the method you used before.",
  "error.passkey.heading": "Unable to sign in",
  "error.passkey.text":
    "We couldn’t verify your passkey. Try again, or use another sign-in method.",
  "error.passkey.again": "Try again",
  "error.passkey-taken.heading": "Account already exists",
  "error.passkey-taken.text":
    "An account with this passkey or email already exists. Sign in with the method you used before.",
  "error.passkey-taken.again": "Sign in",
};

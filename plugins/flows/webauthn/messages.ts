import type { Messages } from "../../../src/kernel.ts";

/** The texts of the form, of the account page's section and of the flow's errors. */
export const ENGLISH: Messages = {
  "passkey.email": "Email",
  "passkey.signin": "Sign in with Passkey",
  "passkey.register": "Register with Passkey",
  "passkey.register.by": "Register with {name}",
  "passkey.instead": "Passkeys need a browser that knows them, with JavaScript switched on.",
  "passkey.failed": "That did not work. Try again, or sign in another way.",
  "passkey.heading": "Passkeys",
  "passkey.text": "A fingerprint, a face or a PIN instead of a password.",
  "passkey.one": "Passkey {number}",
  "passkey.synced": "Kept on several devices",
  "passkey.single": "On one device alone",
  "passkey.added": "Added on {date}",
  "passkey.via.hybrid": "Phone",
  "passkey.via.internal": "Built in",
  "passkey.add": "Add a passkey",
  "passkey.add.failed":
    "That did not work. Try again; this device may already hold a passkey of yours.",
  "passkey.remove": "Remove",
  "passkey.remove.what": "Remove passkey {number}",
  "signin.error.passkey": "The passkey could not be verified. Please try again.",
  "signin.error.passkey-taken":
    "This passkey or its address belongs to an account already. Sign in the way you signed in before.",
  "error.passkey.heading": "Unable to sign in",
  "error.passkey.text": "The passkey could not be verified.",
  "error.passkey.again": "Try again",
  "error.passkey-taken.heading": "Account exists already",
  "error.passkey-taken.text":
    "What you signed in with belongs to another account. Sign in the way you did before.",
  "error.passkey-taken.again": "Sign in",
};

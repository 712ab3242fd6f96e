import type { Messages } from "../../../src/index.ts";

/** What the form, and the part of the account page, say. */
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
};

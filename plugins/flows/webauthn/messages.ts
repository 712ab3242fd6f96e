import type { Messages } from "../../../src/index.ts";

/** What the form, and the part of the account page, say. */
export const ENGLISH: Messages = {
  "passkey.register": "Register with {name}",
  "passkey.instead": "Passkeys need a browser that knows them, with JavaScript switched on.",
  "passkey.failed": "That did not work. Try again, or sign in another way.",
  "passkey.heading": "Passkeys",
  "passkey.text": "A fingerprint, a face or a PIN instead of a password.",
  "passkey.one": "Passkey {number}",
  "passkey.synced": "Kept on several devices",
  "passkey.single": "On one device alone",
  "passkey.add": "Add a passkey",
  "passkey.remove": "Remove",
  "passkey.remove.what": "Remove passkey {number}",
};

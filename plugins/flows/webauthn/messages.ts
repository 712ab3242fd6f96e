import type { Messages } from "../../../src/index.ts";

/** What the flow's forms and its section of the account page say. */
export const ENGLISH: Messages = {
  "passkey.email": "Email",
  "passkey.failed": "That did not work. Try again, or sign in another way.",
  "passkey.instead": "Passkeys need a browser that knows them, with JavaScript switched on.",
  "passkey.register": "Register with Passkey",
  "passkey.register.by": "Register with {name}",
  "passkey.signin": "Sign in with Passkey",
  "passkey.title": "Passkey",
  "passkeys.add": "Add a passkey",
  "passkeys.add.by": "Add a passkey ({name})",
  "passkeys.add.failed":
    "That did not work. Try again; this device may already hold a passkey of yours.",
  "passkeys.added": "Added on {date}",
  "passkeys.key": "Security key",
  "passkeys.none": "You have no passkey yet.",
  "passkeys.remove": "Remove",
  "passkeys.remove.what": "Remove {name} ({detail})",
  "passkeys.single": "On one device",
  "passkeys.synced": "Synced",
  "passkeys.text":
    "They ask for a fingerprint, a face or a PIN; there is nothing to remember or to type.",
  "passkeys.title": "Passkeys",
  "passkeys.via.hybrid": "phone",
  "passkeys.via.internal": "built in",
};

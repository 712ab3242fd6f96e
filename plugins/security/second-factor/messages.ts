import type { Messages } from "../../../src/kernel.ts";

/** English texts of the pages, of the account page's section and of the error. */
export const ENGLISH: Messages = {
  "factor.title": "Two-step verification",
  "factor.heading": "Enter your code",
  "factor.text": "Open your authenticator app and enter the code that it shows for {name}.",
  "factor.code": "Code from the app",
  "factor.submit": "Continue",
  "factor.cancel": "Cancel",
  "factor.back": "Back",
  "factor.recovery": "Use a recovery code",
  "factor.recovery.code": "Recovery code",
  "factor.setup.heading": "Set up two-step verification",
  "factor.setup.required": "To sign in here you also need a code from an authenticator app.",
  "factor.setup.text":
    "Scan this image with an authenticator app on your phone, and enter the code that the app shows.",
  "factor.setup.image": "QR code for the authenticator app",
  "factor.setup.link": "Open the app on this device",
  "factor.setup.key": "Or enter this key in the app:",
  "factor.setup.submit": "Turn on",
  "factor.codes.heading": "Recovery codes",
  "factor.codes.text":
    "If you lose your phone, each of these codes lets you in once. Keep them in a safe place: they are not " +
    "shown again.",
  "factor.off": "When you sign in, you also enter a code from an app on your phone.",
  "factor.on": "It is on. Unused recovery codes: {count}",
  "factor.setup": "Set up",
  "factor.renew": "New recovery codes",
  "factor.renew.text": "The recovery codes that you have now stop working.",
  "factor.remove": "Turn off",
  "factor.any": "Code from the app, or a recovery code",
  "signin.error.factor":
    "That code is not valid. Enter the one that the app shows now; each works once. After several wrong " +
    "codes, wait 15 minutes.",
};

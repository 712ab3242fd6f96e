import type { Messages } from "../../../src/kernel.ts";

/** English texts of the pages, of the account page's section and of the error. */
export const ENGLISH: Messages = {
  "factor.title": "Two\u2011step verification",
  "factor.heading": "Enter your code",
  "factor.text": "Open your authenticator app and enter the code it shows for {name}.",
  "factor.code": "Code from the app",
  "factor.submit": "Continue",
  "factor.cancel": "Cancel",
  "factor.back": "Back",
  "factor.recovery": "Use a recovery code",
  "factor.recovery.code": "Recovery code",
  "factor.setup.heading": "Set up two\u2011step verification",
  "factor.setup.required": "To sign in here, you also need a code from an authenticator app.",
  "factor.setup.text":
    "Scan this image with an authenticator app on your phone, then enter the code the app shows.",
  "factor.setup.image": "QR code for the authenticator app",
  "factor.setup.link": "Open the app on this device",
  "factor.setup.key": "Or enter this key in the app:",
  "factor.setup.submit": "Turn on",
  "factor.codes.heading": "Recovery codes",
  "factor.codes.text":
    "If you lose your phone, you can sign in once with each of these codes. Keep them somewhere safe: they won’t be shown again.",
  "factor.off": "Protect your account with a code from an app on your phone each time you sign in.",
  "factor.on": {
    one: "Turned on. You have {count} unused recovery code.",
    other: "Turned on. You have {count} unused recovery codes.",
  },
  "factor.setup": "Set up",
  "factor.renew": "Create new recovery codes",
  "factor.renew.text": "Your current recovery codes will stop working.",
  "factor.remove": "Turn off",
  "factor.any": "Code from the app or a recovery code",
  "signin.error.factor":
    "That code isn’t valid. Enter the one your app shows now; each code works once. After several wrong codes, wait 15 minutes.",
};

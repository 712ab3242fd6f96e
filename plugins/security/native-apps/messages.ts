import type { Messages } from "../../../src/kernel.ts";

/** English texts of the pages, and of the error. */
export const ENGLISH: Messages = {
  "app.title": "Sign in to an app",
  "app.heading": "Sign in to {name}?",
  "app.text": "{name} wants to sign in as {user}.",
  "app.warning": "Allow this only if you’ve just started it in the app yourself.",
  "app.allow": "Allow",
  "app.deny": "Deny",
  "device.title": "Sign in on a device",
  "device.text": "Enter the code that your device shows.",
  "device.code": "Code",
  "device.submit": "Continue",
  "device.warning":
    "Allow this only if a device in front of you shows the code {code}. If someone sent you the code, deny: they could use your account.",
  "device.allowed": "You’re signed in on your device. You can close this page.",
  "device.denied": "You denied the sign-in. You can close this page.",
  "signin.error.device":
    "That code isn’t valid. Enter the one your device shows now; each code works once. After several wrong codes, wait 15 minutes.",
};

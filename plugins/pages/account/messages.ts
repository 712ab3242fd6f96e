import type { Messages } from "../../../src/kernel.ts";

/** English texts of the account page. */
export const ENGLISH: Messages = {
  "account.title": "Account",
  "account.heading": "Your account",
  "account.signout": "Sign out",
  "account.home": "Back to {host}",
  "account.done": "Changes saved",
  "account.failed": "Something went wrong and nothing was changed. Try again.",
  "account.last": "This is your only sign-in method. Add another one before you remove it.",
  "account.error.taken":
    "That account or its email address already belongs to another user, so nothing was changed. Try a different account.",
  "account.error.failed":
    "The request was canceled or couldn’t be completed, so nothing was changed. Try again.",
  "account.error.check":
    "This attempt expired or was already used, so nothing was changed. You’re still signed in.",
  "account.error.required":
    "You’re now signed in to a different account, so nothing was changed. Check which account you want to use, then try again.",
  "account.error.unreachable":
    "We couldn’t reach that service, so nothing was changed. Try again later.",
  "account.error.denied":
    "This site doesn’t accept that account, so nothing was changed. Try a different one, or contact the site owner.",
  "account.error.passkey": "We couldn’t verify the passkey, so nothing was changed. Try again.",
  "account.error.passkey-taken":
    "This passkey is already in use, here or on another account, so nothing was changed. To sign in with it, sign out first.",
  "account.error.link":
    "This sign-in link has expired or was already used. You’re signed in, so you don’t need a new one.",
  "account.methods": "Sign-in methods",
  "account.methods.text": "Use any of these to sign in.",
  "account.email": "Email link",
  "account.link": "Connect {name}",
  "account.unlink": "Disconnect",
  "account.unlink.what": "Disconnect {name}",
  "account.more": "Connect another account ({count})",
  "account.only": "Your only sign-in method",
  "account.connect": "Connect another account",
  "account.sessions": "Active sessions",
  "account.sessions.text": "Where you’re signed in. Sign out of any session you don’t recognize.",
  "account.session": "Session",
  "account.session.here": "This browser",
  "account.session.began": "Signed in on {date}",
  "account.session.ends": "Expires {date} if not used",
  "account.session.end": "Sign out",
  "account.session.end.what": "Sign out of the session from {date}",
  "account.sessions.more": "Older sessions",
  "account.sessions.end": "Sign out of other sessions",
};

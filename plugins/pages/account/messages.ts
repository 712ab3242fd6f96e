import type { Messages } from "../../../src/kernel.ts";

/** English texts of the account page. */
export const ENGLISH: Messages = {
  "account.title": "Account",
  "account.heading": "Your account",
  "account.signout": "Sign out",
  "account.home": "Back to {host}",
  "account.done": "Your changes are saved.",
  "account.failed": "That did not work. Nothing was changed; please try again.",
  "account.last": "This is your last way to sign in. Add another one before you remove it.",
  "account.ways": "Ways to sign in",
  "account.ways.text": "With any of these you get into this account.",
  "account.email": "Link by email",
  "account.link": "Link {name}",
  "account.unlink": "Remove",
  "account.unlink.what": "Remove {name}",
  "account.more": "{count} more to link",
  "account.sessions": "Sessions",
  "account.sessions.text": "Where you are signed in. End whatever you do not know.",
  "account.session": "Session",
  "account.session.here": "This device",
  "account.session.began": "Signed in on {date}",
  "account.session.ends": "Ends on {date}, unless it is used before",
  "account.session.end": "End",
  "account.session.end.what": "End the session of {date}",
  "account.sessions.more": "Older sessions",
  "account.sessions.end": "Sign out everywhere else",
};

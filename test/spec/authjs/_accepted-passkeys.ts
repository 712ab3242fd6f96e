import type { Accepted } from "./_accepted.ts";

const NOTHING = /^$/;

/** Intended differences of applications with passkeys. They precede those of all applications. */
export const PASSKEYS: readonly Accepted[] = [
  // Options.
  {
    path: /^body\.options\.hints$/,
    authjs: NOTHING,
    why: "version 14 of @simplewebauthn/server adds it",
  },
  {
    path: /^body\.options\.user\.id$/,
    why: "the user handle is base64url, as in the JSON options of WebAuthn level 3",
  },
  {
    at: /options \{"(?:email|nick)":"ada/,
    path: /^body\./,
    why: "options without a session are the same whether or not the address has an account (R15)",
  },
  {
    at: /options \{"action":"authenticate","email"/,
    path: /^body\.options\.allowCredentials$/,
    keyhook: NOTHING,
    why: "an address alone never lists passkeys (R15); a sign-in needs no typed text",
  },
  {
    at: /options \{"action":"register","email":"ada@example\.com","name":"Ada"\}$/,
    path: /^body\.options\.user\.displayName$/,
    why: "the field `name` is the name of the user who registers",
  },
  {
    at: /^passkeys of an application's own settings/,
    path: /esidentKey$/,
    why: "a sign-in requests no user name, so the passkey must be discoverable",
  },
  {
    path: /^body\.passkey\.ceremony$/,
    authjs: NOTHING,
    why: "the list of providers says which of them start with a ceremony",
  },
  {
    path: /^location$/,
    authjs: /signin"$/,
    keyhook: /callbackUrl/,
    why: "the redirect to the sign-in page keeps the target",
  },

  {
    at: /^passkeys together with links by e-mail/,
    path: /^outcome$/,
    keyhook: /^"400 /,
    why: "a later owner of the address would take over the account, so only signed-in users can register",
  },

  // The challenge.
  {
    path: /^cookies\.(?:__Secure-)?authjs\.challenge\.value\.value$/,
    authjs: /^"<jwe>"$/,
    why: "a challenge is sealed together with its ceremony",
  },
  {
    path: /^cookies\.(?:__Secure-)?authjs\.challenge(?:\.[\w-]{12})?$/,
    why: "tabs with concurrent challenges have separate cookies, and a used or failed challenge is cleared",
  },
  {
    at: /^responses that fit no challenge/,
    path: /^outcome$/,
    authjs: /error=WebAuthnVerificationError"$/,
    keyhook: /error=InvalidCheck"$/,
    why: "the challenge may be from another tab or an older page, so the visitor can try again",
  },
  {
    at: /^responses that fit no challenge/,
    path: /^outcome$/,
    authjs: /error=Configuration"$/,
    keyhook: /:3000\/"$/,
    why: "the lost cookie is another tab's",
  },
  {
    at: /^responses that fit no challenge/,
    path: /^body\.options\.(?:allowCredentials|excludeCredentials|user)/,
    why: "the visitor has been signed in since an earlier step",
  },

  // Responses.
  {
    path: /^outcome$/,
    authjs: /error=Configuration"$/,
    keyhook: /^"400 application\/json"$/,
    why: "a response that no browser creates is not a fault of the configuration",
  },
  {
    path: /^outcome$/,
    authjs: /error=Configuration"$/,
    keyhook: /error=(?:WebAuthnVerificationError|MissingCSRF)"$/,
    why: "an unknown or invalid passkey is an error of the visitor; each POST needs a CSRF token",
  },
  {
    at: /userHandle":null/,
    path: /^outcome$/,
    keyhook: /error=WebAuthnVerificationError"$/,
    why: "the response of a discoverable passkey must contain the user handle (WebAuthn level 3, section 7.2, step 6)",
  },
  {
    at: /^an address of a user of another provider/,
    path: /^outcome$/,
    authjs: /TypeError/,
    keyhook: /error=AccountNotLinked"$/,
    why: "Auth.js returns no options to such a visitor, so the script in the browser fails",
  },
  {
    at: /^a registration while the user signs out/,
    path: /^outcome$/,
    authjs: /error=AccountNotLinked"$/,
    keyhook: /error=SessionRequired"$/,
    why: "a visitor who has signed out must sign in again to add a passkey",
  },
  {
    at: /^a registration of a visitor who has signed in since/,
    path: /./,
    why: "the passkey belongs to the user for whom the options were created",
  },
  {
    at: /^passkeys, signIn callback returns a URL/,
    path: /^outcome$/,
    authjs: /:3000\/"$/,
    keyhook: /\/welcome"$/,
    why: "a returned URL redirects there, and signs no one in; Auth.js ignores it",
  },

  // Sessions.
  {
    at: /^(?!counters|passkeys on https|users of|a new user by a passkey \(\w+\) > [0-6] ).* (?:options|passkey) /,
    path: /^calls\.(?:callbacks|events|jwt#|session)/,
    why: "the session's user is read as on every route, so `jwt` and `session` may end the session",
  },
  {
    path: /^calls\.(?:writes|\.createSession#1|\.deleteSession#1)$/,
    keyhook: /createSession|sessionToken|<uuid>/,
    why: "a sign-in changes the session token, even if the same user is signed in",
  },
  {
    at: /^two users/,
    path: /^calls\.(?:writes|signIn#1|\.updateAuthenticatorCounter#1)$/,
    keyhook: /^(?:"")?$/,
    why: "the passkey of another user changes nothing",
  },

  // Users.
  {
    at: /^an address of a user with a passkey, at a provider/,
    path: /^calls\.(?:events|createUser!#1)$/,
    keyhook: /^$|linkAccount! signIn!/,
    why: "no `createUser` for an existing user",
  },
  {
    path: /^calls\.(?:signIn#1\.user|\.createUser#1|linkAccount!#1\.profile)\.id$/,
    authjs: NOTHING,
    keyhook: /<uuid>/,
    why: "a new user has an id in callbacks before it is stored, as with other providers",
  },
  {
    path: /\.emailVerified$/,
    authjs: NOTHING,
    keyhook: /^null$/,
    why: "`emailVerified` of a new user is `null`, not absent",
  },
];

import type { Accepted } from "./_accepted.ts";

const NOTHING = /^$/;

/** Intended differences of applications with passkeys. They precede those of all applications. */
export const PASSKEYS: readonly Accepted[] = [
  // Options.
  {
    path: /^body\.options\.hints$/,
    authjs: NOTHING,
    why: "version 14 of @simplewebauthn/server states it",
  },
  {
    path: /^body\.options\.user\.id$/,
    why: "the handle of a user is base64url, as WebAuthn level 3 writes options in JSON",
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
    why: "an address alone never lists passkeys (R15): to sign in, nothing is typed",
  },
  {
    at: /options \{"action":"register","email":"ada@example\.com","name":"Ada"\}$/,
    path: /^body\.options\.user\.displayName$/,
    why: "the field `name` is the name of the user who registers",
  },
  {
    at: /^passkeys of an application's own settings/,
    path: /esidentKey$/,
    why: "a sign-in asks for no name, so that the passkey must be discoverable",
  },
  {
    path: /^body\.passkey\.ceremony$/,
    authjs: NOTHING,
    why: "clients are told which providers ask the authenticator first",
  },
  {
    path: /^location$/,
    authjs: /signin"$/,
    keyhook: /callbackUrl/,
    why: "the redirect to the sign-in page keeps the target",
  },

  {
    at: /^passkeys beside links by e-mail/,
    path: /^outcome$/,
    keyhook: /^"400 /,
    why: "who later verifies the address takes the account over: only users who are signed in register",
  },

  // The challenge.
  {
    path: /^cookies\.(?:__Secure-)?authjs\.challenge\.value\.value$/,
    authjs: /^"<jwe>"$/,
    why: "a challenge is sealed once, with the ceremony that it is for",
  },
  {
    path: /^cookies\.(?:__Secure-)?authjs\.challenge(?:\.[\w-]{12})?$/,
    why: "tabs that have challenges at once have a cookie each, and what was used or fails is cleared",
  },
  {
    at: /^responses that fit no challenge/,
    path: /^outcome$/,
    authjs: /error=WebAuthnVerificationError"$/,
    keyhook: /error=InvalidCheck"$/,
    why: "another challenge is of another tab, or of an older page: the visitor may try again",
  },
  {
    at: /^responses that fit no challenge/,
    path: /^outcome$/,
    authjs: /error=Configuration"$/,
    keyhook: /:3000\/"$/,
    why: "the cookie that was lost is that of another tab",
  },
  {
    at: /^responses that fit no challenge/,
    path: /^body\.options\.(?:allowCredentials|excludeCredentials|user)/,
    why: "so that the visitor is signed in from there on",
  },

  // Responses.
  {
    path: /^outcome$/,
    authjs: /error=Configuration"$/,
    keyhook: /^"400 application\/json"$/,
    why: "a response that no browser makes is no fault of the configuration (H31)",
  },
  {
    path: /^outcome$/,
    authjs: /error=Configuration"$/,
    keyhook: /error=(?:WebAuthnVerificationError|MissingCSRF)"$/,
    why: "an unknown passkey, like any that is not valid, is the visitor's; each POST has a CSRF token",
  },
  {
    at: /userHandle":null/,
    path: /^outcome$/,
    keyhook: /error=WebAuthnVerificationError"$/,
    why: "a discoverable passkey states its user (WebAuthn level 3, section 7.2, step 6)",
  },
  {
    at: /^an address of a user of another provider/,
    path: /^outcome$/,
    authjs: /TypeError/,
    keyhook: /error=AccountNotLinked"$/,
    why: "Auth.js gives such a visitor no options: the script in the browser fails",
  },
  {
    at: /^a registration while the user signs out/,
    path: /^outcome$/,
    authjs: /error=AccountNotLinked"$/,
    keyhook: /error=SessionRequired"$/,
    why: "who is signed in no longer has to sign in again",
  },
  {
    at: /^a registration of a visitor who has signed in since/,
    path: /./,
    why: "the passkey is that of the user for whom the browser was asked for it",
  },
  {
    at: /^passkeys, signIn callback returns a URL/,
    path: /^outcome$/,
    authjs: /:3000\/"$/,
    keyhook: /\/welcome"$/,
    why: "a URL leads there, and signs nobody in; Auth.js ignores it",
  },

  // Sessions.
  {
    at: /^(?!counters|passkeys on https|users of|a new user by a passkey \(\w+\) > [0-6] ).* (?:options|passkey) /,
    path: /^calls\.(?:callbacks|events|jwt#|session)/,
    why: "whose session it is, is read as everywhere: `jwt` and `session` may end it",
  },
  {
    path: /^calls\.(?:writes|\.createSession#1|\.deleteSession#1)$/,
    keyhook: /createSession|sessionToken|<uuid>/,
    why: "a sign-in changes the session token, also of the user who is signed in",
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
    why: "no `createUser` for a user who was there (B24)",
  },
  {
    path: /^calls\.(?:signIn#1\.user|\.createUser#1|linkAccount!#1\.profile)\.id$/,
    authjs: NOTHING,
    keyhook: /<uuid>/,
    why: "a new user has an id for callbacks before it is stored, as with other providers",
  },
  {
    path: /\.emailVerified$/,
    authjs: NOTHING,
    keyhook: /^null$/,
    why: "a new user's address states that it is not verified",
  },
];

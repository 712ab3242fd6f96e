/** An intended difference. */
export interface Accepted {
  /** Scenario and step. Default: any. */
  at?: RegExp;
  path: RegExp;
  /** The values of Auth.js and of Keyhook there, where an empty text means none. Default: any value. */
  authjs?: RegExp;
  keyhook?: RegExp;
  why: string;
}

const NOTHING = /^$/;

/** Each row matches at least one difference, and each difference at least one row. The first match decides. */
export const ACCEPTED: readonly Accepted[] = [
  // Cookies.
  {
    path: /^cookies\.(?:__Host-)?(?:keyhook\.|authjs\.email-check)/,
    authjs: NOTHING,
    why: "Keyhook has further cookies: for the browser, the link, and the time of the sign-in",
  },
  {
    path: /^cookies\.[\w.-]+\.value\.(?:attempt|browser|checks|session|callbackUrl|keyhook\.origin)$/,
    authjs: NOTHING,
    why: "an attempt is bound to its browser, session and origin (SECURITY.md R3, R13)",
  },
  {
    path: /^cookies\.[\w.-]*csrf[\w.-]*$/,
    authjs: NOTHING,
    why: "a sign-in and a sign-out change the CSRF token",
  },
  {
    path: /^cookies\.[\w.-]*(?:callback-url|csrf-token)$/,
    keyhook: NOTHING,
    why: "a cookie is set only when it is needed",
  },
  {
    path: /^cookies\.(?:[\w.-]*session-token[.\d]*|sid)$/,
    authjs: /"expires"/,
    keyhook: NOTHING,
    why: "a session is renewed once per `updateAge`, not at every read",
  },
  {
    path: /^(?:cookies\.|calls\.).*\.(?:auth_time|keyhook\.email_verified)$/,
    authjs: NOTHING,
    why: "a token contains the time of the sign-in and the verified address",
  },
  {
    path: /^cookies\.[\w.-]*(?:state|nonce)$|^location\.state$|^body\.url\.state$|^calls\.fetch#\d\.body\.state$/,
    authjs: NOTHING,
    why: "`state`, and for OpenID Connect `nonce`, is added unless the metadata lists S256",
  },
  {
    path: /^calls\.jwt#\d+\.emailVerified$/,
    authjs: NOTHING,
    why: "the `jwt` callback receives at a sign-in whether the address is verified",
  },
  {
    path: /^cookies\..*(?:state|nonce)\.(?:samesite|max-age)$/,
    why: "cookies for a posted response are set and cleared with the same attributes",
  },
  {
    path: /(?:state\.value\.value|\.state)$/,
    authjs: /^"<jwe>"$/,
    keyhook: /^"<random>"$/,
    why: "`state` is a random text, and sealed only for a redirect proxy",
  },
  {
    path: /^cookies\.[\w.-]*(?:pkce\.code_verifier|state|nonce)$/,
    keyhook: /"max-age":"0"/,
    why: "the cookies of an attempt are cleared however it ends",
  },
  {
    path: /^cookies\.authjs\.callback-url$/,
    authjs: NOTHING,
    why: "the target of a sign-in is stored again, so that an older target does not replace it",
  },
  {
    at: /^targets/,
    path: /^cookies\.authjs\.callback-url\.value$/,
    why: "a target is stored as the URL into which browsers parse it",
  },
  {
    at: /custom cookies/,
    path: /^cookies\.authjs\.pkce\.code_verifier\.(?:expires|value\.exp)$/,
    why: "`maxAge` of a check cookie is also the lifetime of its sealed value",
  },

  // What visitors and clients notice.
  {
    path: /^body$/,
    authjs: /^"Bad request."$/,
    why: "an error is an object with a message and an id",
  },
  {
    path: /^outcome$/,
    authjs: /^"400 application/,
    keyhook: /^"(?:404|405|200) /,
    why: "an unknown path gets 404, another method 405, and HEAD is a GET without a body",
  },
  {
    at: /> \d+ get session\/$/,
    path: /^outcome$/,
    keyhook: /^"404 /,
    why: "a route has only one path",
  },
  {
    path: /^outcome$/,
    authjs: /error=Configuration"$/,
    keyhook: /^"40[045] application/,
    why: "a request that no route accepts is not a fault of the configuration",
  },
  {
    path: /^outcome$/,
    authjs: /^"400 null"$/,
    keyhook: /^"403 application/,
    why: "an error of `POST /session` says what is wrong",
  },
  {
    path: /^outcome$/,
    authjs: /signin\?error=MissingCSRF/,
    keyhook: /signout\?error=MissingCSRF/,
    why: "a refused form redirects back to its page",
  },
  {
    path: /^outcome$/,
    authjs: /^"200 .*error=Configuration"$/,
    keyhook: /^"500 .*error=Configuration"$/,
    why: "a server error has its status for clients too; the URL is the same",
  },
  {
    path: /^(?:location|body\.error)/,
    authjs: /^null$|^$/,
    keyhook: /"error"/,
    why: "a redirect that is returned as JSON also has the header `Location` for errors",
  },
  {
    path: /^outcome$/,
    authjs: /error=Configuration"$/,
    keyhook: /error=(?:InvalidCheck|EmailSignInError|Verification)"$/,
    why: "an error that the visitor can fix has its own type, and is shown on the sign-in page",
  },
  {
    at: /^(?:junk cookies|targets|redirect callback: throws)/,
    path: /^outcome$/,
    authjs: /^"500 |Invalid URL|Unexpected end|error=Configuration"$/,
    why: "an unusable target is ignored, and does not make the request fail",
  },
  {
    at: /^targets/,
    path: /^outcome$|^location$|^body\.url$/,
    authjs: /evil\.example/,
    keyhook: /:3000\/"$/,
    why: "a path that browsers may read as another host is not a target (R12)",
  },
  {
    at: /^redirect callback: null/,
    path: /^outcome$/,
    authjs: /^"200 "$/,
    why: "if the `redirect` callback returns nothing, the default applies",
  },
  {
    at: /^session callback: throws/,
    path: /^outcome$/,
    keyhook: /^"500 /,
    why: "a session that could not be read is an error, never `null` (SECURITY.md R7)",
  },
  {
    at: /^session callback: throws.* signout$/,
    path: /^calls\.(?:events|signOut!#1)|^cookies\..*session-token$/,
    why: "the session that could not be read still exists (SECURITY.md R7)",
  },
  {
    at: /^session callback: null/,
    path: /^calls\.(?:events|session!#1)$/,
    why: "the event `session` is emitted only with a session",
  },
  {
    at: /^callbacks add/,
    path: /^outcome$|^location|^cookies\.authjs\.callback-url\.value$/,
    authjs: /other\.example/,
    why: "`redirect` is called once, for the target that is used, not at every request",
  },
  {
    at: /^signIn callback returns 1/,
    path: /./,
    why: "`true` continues; any other return value is a mistake, which refuses the sign-in",
  },
  {
    at: /^(?:credentials|signIn callback returns true|redirect callback with one target) \(database\)/,
    path: /./,
    why: "credentials start a stored session for a stored user, which can be read",
  },
  {
    at: /^another sign-in while signed in/,
    path: /^outcome$/,
    keyhook: /OAuthAccountNotLinked/,
    why: "a sign-in without `link` does not link an account (R13)",
  },
  {
    at: /^a sign-in as another user/,
    path: /^outcome$/,
    authjs: /OAuthAccountNotLinked/,
    why: "a sign-in as another user replaces the session",
  },
  {
    at: /^linking by address|^mail, then a provider/,
    path: /^calls\.(?:events|createUser!#1)$/,
    keyhook: /^$|linkAccount! signIn!/,
    why: "no `createUser` for an existing user",
  },
  {
    path: /^location\.(?:foo|scope)$|^body\.url\.(?:foo|scope)$/,
    authjs: /bar|openid/,
    why: "the query of a sign-in can add only listed parameters (SECURITY.md R12)",
  },

  {
    at: /^(?:targets|walk).* post signout/,
    path: /^calls\.(?:events|signOut!#1)|^cookies\.authjs\.session-token$/,
    why: "a sign-out of an ended session is also reported, with the token `null`; a cookie that does not exist is not cleared",
  },

  // Pages.
  {
    path: /^body\.forms\.\d$/,
    why: "every form that needs a target has one; the order of hidden fields is irrelevant",
  },
  {
    path: /^body\.credentials\.direct$/,
    authjs: /^$/,
    why: "the list of providers says which of them receive a POST directly",
  },
  {
    at: /post signin(?:\/credentials|\/undefined|$| )/,
    path: /^(?:location|body\.url|outcome)/,
    keyhook: /callbackUrl|login/,
    why: "the redirect to the sign-in page keeps the target, and skips the built-in page",
  },
  {
    at: /^pages/,
    path: /^(?:outcome|location)/,
    authjs: /undefined"|login"$|b\?error|oops\?error=Configuration|^$/,
    why: "a page of the application receives the error and its code as query parameters of their own",
  },

  {
    at: /^walk/,
    path: /^outcome$/,
    keyhook: /error=InvalidCheck"$/,
    why: "a sign-in that was canceled under Auth.js leaves cookies that match no attempt after the migration",
  },
  {
    at: /^failures at the provider/,
    path: /^outcome$/,
    authjs: /error=Configuration"$/,
    keyhook: /home"$/,
    why: "concurrent attempts have separate cookies, so that one does not end the other",
  },

  // E-mails.
  {
    path: /^calls\.sendVerificationRequest#1\.(?:mail|provider\.confirm)/,
    authjs: NOTHING,
    why: "`sendVerificationRequest` also receives the rendered e-mail",
  },
  {
    path: /^calls\.sendVerificationRequest#1\.theme\./,
    authjs: /^"(?:auto)?"$/,
    keyhook: NOTHING,
    why: "a theme has only the configured fields; empty ones are absent",
  },
  {
    path: /^calls\.sendVerificationRequest#1\.url$/,
    authjs: /localhost%3A3000&/,
    keyhook: /localhost%3A3000%2F&/,
    why: "an origin and its root path are the same target",
  },
  {
    at: /^(?:mail|walk)/,
    path: /^calls\.(?:writes|events|\.updateUser#1|updateUser!#1)|emailVerified\.date$/,
    why: "`emailVerified` is the date of the first sign-in by e-mail",
  },
  {
    path: /^calls\.(?:signIn!?|jwt)#1\.account\.userId$/,
    why: "an account has `userId` as soon as the user is known",
  },

  // Sessions.
  {
    path: /(?:body|session)\.expires$/,
    why: "`expires` is the stored session's, and is also a text in the `session` callback",
  },
  {
    path: /^(?:calls\..*\.token|cookies\..*\.value)\.(?:iat|exp)$|^cookies\.[\w.-]*session-token\.expires$/,
    why: "a session is renewed once per `updateAge`, not at every read",
  },
  {
    path: /^(?:body|calls\.session!?#\d\.session)\.(?:user\.(?:emailVerified|role|tags)|sessionToken|userId)$/,
    keyhook: NOTHING,
    why: "the user in the `session` callback has only `id`, `name`, `email` and `image`",
  },
  {
    path: /^calls\.session#1\.(?:trigger|newSession)/,
    authjs: NOTHING,
    why: "the `session` callback receives `newSession` and `trigger` under every strategy",
  },

  {
    at: /^tokens and lifetimes/,
    path: /^calls\.(?:writes|\.updateSession#1)$/,
    keyhook: /^(?:"")?$/,
    why: "a session whose expiry does not change is not written",
  },
  {
    at: /^checks: none/,
    path: /^outcome$/,
    keyhook: /error=InvalidCheck"$/,
    why: "without checks, a response is still accepted only in a browser with an attempt, which Auth.js does not record",
  },

  // Callbacks and events.
  {
    path: /^calls\.redirect#\d/,
    why: "`redirect` is called once, for the target that is used, not at every request",
  },
  {
    path: /^calls\.log#\d$/,
    why: "errors that visitors cause are not logged as errors of the application, and errors have their own types",
  },
  {
    path: /^calls\.signIn#1\.emailVerified$/,
    authjs: NOTHING,
    why: "`signIn` receives whether the address was verified",
  },
  {
    path: /^calls\.jwt#1\.isNewUser$/,
    authjs: /^false$/,
    keyhook: NOTHING,
    why: "without an adapter, it is unknown whether a user is new",
  },
  {
    path: /^calls\.(?:authorize#1\.0|signIn#1\.credentials)\.(?:csrfToken|callbackUrl)$/,
    keyhook: NOTHING,
    why: "`authorize` receives only the declared fields",
  },
  {
    path: /^calls\.(?:authorize#1\.1|sendVerificationRequest#1\.request)\.type$/,
    why: "a rebuilt request has the content type of its new body",
  },

  // The adapter.
  {
    path: /^calls\.lookUps$|^calls\.\.(?:get|list)\w+#\d/,
    why: "look-ups happen once, before any write; a token is read together with its user",
  },

  // Providers.
  {
    at: /^no address/,
    path: /\.profile\.emails$/,
    authjs: NOTHING,
    why: "the profile of GitHub contains the addresses, with whether each is verified",
  },
  {
    path: /^calls\.fetch#\d\.accept$/,
    authjs: /^null$/,
    why: "requests accept JSON",
  },
];

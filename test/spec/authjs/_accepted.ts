/** An intended difference. */
export interface Accepted {
  /** Scenario and step. Default: any. */
  at?: RegExp;
  path: RegExp;
  /** What Auth.js does there, and what Keyhook does. Empty text stands for nothing. Default: anything. */
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
    why: "cookies of its own: the browser, the link, the time of the sign-in",
  },
  {
    path: /^cookies\.[\w.-]+\.value\.(?:attempt|browser|checks|session|callbackUrl|keyhook\.origin)$/,
    authjs: NOTHING,
    why: "an attempt is sealed for its browser, session and origin (SECURITY.md R3, R13)",
  },
  {
    path: /^cookies\.[\w.-]*csrf[\w.-]*$/,
    authjs: NOTHING,
    why: "a sign-in and a sign-out change the CSRF token (H13)",
  },
  {
    path: /^cookies\.[\w.-]*(?:callback-url|csrf-token)$/,
    keyhook: NOTHING,
    why: "no cookie is set before it is needed (B60)",
  },
  {
    path: /^cookies\.(?:[\w.-]*session-token[.\d]*|sid)$/,
    authjs: /"expires"/,
    keyhook: NOTHING,
    why: "a session is renewed once per `updateAge`, as SPEC.md says, not at every read",
  },
  {
    path: /^(?:cookies\.|calls\.).*\.(?:auth_time|keyhook\.email_verified)$/,
    authjs: NOTHING,
    why: "a token states when its user signed in, and which address was verified (H2, H6)",
  },
  {
    path: /^cookies\.[\w.-]*(?:state|nonce)$|^location\.state$|^body\.url\.state$|^calls\.fetch#\d\.body\.state$/,
    authjs: NOTHING,
    why: "`state`, and for OpenID Connect `nonce`, is added unless metadata lists S256 (H30)",
  },
  {
    path: /^cookies\..*(?:state|nonce)\.(?:samesite|max-age)$/,
    why: "what a posted response needs, and what clears it, has the same attributes (B10, B49)",
  },
  {
    path: /(?:state\.value\.value|\.state)$/,
    authjs: /^"<jwe>"$/,
    keyhook: /^"<random>"$/,
    why: "`state` is a random text, and a sealed one for a redirect proxy alone",
  },
  {
    path: /^cookies\.[\w.-]*(?:pkce\.code_verifier|state|nonce)$/,
    keyhook: /"max-age":"0"/,
    why: "the cookies of an attempt are cleared whatever its end (B17)",
  },
  {
    path: /^cookies\.authjs\.callback-url$/,
    authjs: NOTHING,
    why: "the target of a sign-in is kept again, so that an older one does not take its place",
  },
  {
    at: /^targets/,
    path: /^cookies\.authjs\.callback-url\.value$/,
    why: "a target is kept as the URL that browsers make of it",
  },
  {
    at: /custom cookies/,
    path: /^cookies\.authjs\.pkce\.code_verifier\.(?:expires|value\.exp)$/,
    why: "`maxAge` of a check cookie is the lifetime of what it seals",
  },

  // What visitors and clients notice.
  {
    path: /^body$/,
    authjs: /^"Bad request."$/,
    why: "an error is an object with a message and its id",
  },
  {
    path: /^outcome$/,
    authjs: /^"400 application/,
    keyhook: /^"(?:404|405|200) /,
    why: "an unknown path is 404, another method 405, and HEAD is a GET without a body (H31)",
  },
  {
    at: /> \d+ get session\/$/,
    path: /^outcome$/,
    keyhook: /^"404 /,
    why: "a route has one path (H14)",
  },
  {
    path: /^outcome$/,
    authjs: /error=Configuration"$/,
    keyhook: /^"40[045] application/,
    why: "a request that no route takes is no fault of the configuration (H31)",
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
    why: "a form that was refused leads back to its page",
  },
  {
    path: /^outcome$/,
    authjs: /^"200 .*error=Configuration"$/,
    keyhook: /^"500 .*error=Configuration"$/,
    why: "a fault of the server has its status for clients too; the URL is the same",
  },
  {
    path: /^(?:location|body\.error)/,
    authjs: /^null$|^$/,
    keyhook: /"error"/,
    why: "a redirect that is returned as JSON has the header for errors too",
  },
  {
    path: /^outcome$/,
    authjs: /error=Configuration"$/,
    keyhook: /error=(?:InvalidCheck|EmailSignInError|Verification)"$/,
    why: "what a visitor can fix has an error of its own, on the sign-in page (B44)",
  },
  {
    at: /^(?:junk cookies|targets|redirect callback: throws)/,
    path: /^outcome$/,
    authjs: /^"500 |Invalid URL|Unexpected end|error=Configuration"$/,
    why: "a target that cannot be used is left out, and no request fails for it (H15, B51)",
  },
  {
    at: /^targets/,
    path: /^outcome$|^location$|^body\.url$/,
    authjs: /evil\.example/,
    keyhook: /:3000\/"$/,
    why: "a path that browsers may read as another host is no target (R12)",
  },
  {
    at: /^redirect callback: null/,
    path: /^outcome$/,
    authjs: /^"200 "$/,
    why: "a `redirect` callback that decides nothing leaves the decision to the default",
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
    why: "the session that could not be read is still there (SECURITY.md R7)",
  },
  {
    at: /^session callback: null/,
    path: /^calls\.(?:events|session!#1)$/,
    why: "the event `session` has a session",
  },
  {
    at: /^callbacks add/,
    path: /^outcome$|^location|^cookies\.authjs\.callback-url\.value$/,
    authjs: /other\.example/,
    why: "`redirect` is asked once, for the target that is used, not at every request",
  },
  {
    at: /^signIn callback returns 1/,
    path: /./,
    why: "SPEC.md: `true` continues; another answer is a mistake, which fails closed (H20)",
  },
  {
    at: /^(?:credentials|signIn callback returns true|redirect callback with one target) \(database\)/,
    path: /./,
    why: "credentials start a stored session for a stored user, which can be read (B21)",
  },
  {
    at: /^another sign-in while signed in/,
    path: /^outcome$/,
    keyhook: /OAuthAccountNotLinked/,
    why: "a plain sign-in links no account: `link` asks for it (R13, B5)",
  },
  {
    at: /^a sign-in as another user/,
    path: /^outcome$/,
    authjs: /OAuthAccountNotLinked/,
    why: "whoever signs in as another user is that user then",
  },
  {
    at: /^linking by address|^mail, then a provider/,
    path: /^calls\.(?:events|createUser!#1)$/,
    keyhook: /^$|linkAccount! signIn!/,
    why: "no `createUser` for a user who was there (B24)",
  },
  {
    path: /^location\.(?:foo|scope)$|^body\.url\.(?:foo|scope)$/,
    authjs: /bar|openid/,
    why: "the query of a sign-in adds parameters of a list (SECURITY.md R12)",
  },

  {
    at: /^(?:targets|walk).* post signout/,
    path: /^calls\.(?:events|signOut!#1)|^cookies\.authjs\.session-token$/,
    why: "a sign-out of a session that has ended is one too, with the token `null`; what is no cookie is not cleared",
  },

  // Pages.
  {
    path: /^body\.forms\.\d$/,
    why: "every form that needs a target has it; the order of hidden fields means nothing",
  },
  {
    path: /^body\.credentials\.direct$/,
    authjs: /^$/,
    why: "clients are told which providers are posted to at once",
  },
  {
    at: /post signin(?:\/credentials|\/undefined|$| )/,
    path: /^(?:location|body\.url|outcome)/,
    keyhook: /callbackUrl|login/,
    why: "the redirect to the sign-in page keeps the target, and spares one through the built-in page",
  },
  {
    at: /^pages/,
    path: /^(?:outcome|location)/,
    authjs: /undefined"|login"$|b\?error|oops\?error=Configuration|^$/,
    why: "a page of the application gets the error and its code, in a query of its own (B29, B30)",
  },

  {
    at: /^walk/,
    path: /^outcome$/,
    keyhook: /error=InvalidCheck"$/,
    why: "a sign-in that was canceled under Auth.js leaves cookies, which fit none that the move interrupts",
  },
  {
    at: /^failures at the provider/,
    path: /^outcome$/,
    authjs: /error=Configuration"$/,
    keyhook: /home"$/,
    why: "an attempt beside another has cookies of its own, and loses nothing with those of the other",
  },

  // E-mails.
  {
    path: /^calls\.sendVerificationRequest#1\.(?:mail|provider\.confirm)/,
    authjs: NOTHING,
    why: "a sender is given the mail that the built-in ones send",
  },
  {
    path: /^calls\.sendVerificationRequest#1\.theme\./,
    authjs: /^"(?:auto)?"$/,
    keyhook: NOTHING,
    why: "a theme has what was configured; what is empty is missing",
  },
  {
    path: /^calls\.sendVerificationRequest#1\.url$/,
    authjs: /localhost%3A3000&/,
    keyhook: /localhost%3A3000%2F&/,
    why: "an origin and its root are the same target",
  },
  {
    at: /^(?:mail|walk)/,
    path: /^calls\.(?:writes|events|\.updateUser#1|updateUser!#1)|emailVerified\.date$/,
    why: "SPEC.md: `emailVerified` is the date of the first sign-in by e-mail",
  },
  {
    path: /^calls\.(?:signIn!?|jwt)#1\.account\.userId$/,
    why: "an account states its user once that user is known",
  },

  // Sessions.
  {
    path: /(?:body|session)\.expires$/,
    why: "`expires` is that of the session as it is kept, and a text for the `session` callback too",
  },
  {
    path: /^(?:calls\..*\.token|cookies\..*\.value)\.(?:iat|exp)$|^cookies\.[\w.-]*session-token\.expires$/,
    why: "a session is renewed once per `updateAge`, as SPEC.md says, not at every read",
  },
  {
    path: /^(?:body|calls\.session!?#\d\.session)\.(?:user\.(?:emailVerified|role|tags)|sessionToken|userId)$/,
    keyhook: NOTHING,
    why: "the `session` callback is given `id`, `name`, `email` and `image` (H28)",
  },
  {
    path: /^calls\.session#1\.(?:trigger|newSession)/,
    authjs: NOTHING,
    why: "SPEC.md: the `session` callback is given `newSession` and `trigger` under every strategy",
  },

  {
    at: /^tokens and lifetimes/,
    path: /^calls\.(?:writes|\.updateSession#1)$/,
    keyhook: /^(?:"")?$/,
    why: "a session whose end would not move is not written",
  },
  {
    at: /^checks: none/,
    path: /^outcome$/,
    keyhook: /error=InvalidCheck"$/,
    why: "with no check either, an attempt is under way in this browser (H30): Auth.js leaves no trace of one",
  },

  // Callbacks and events.
  {
    path: /^calls\.redirect#\d/,
    why: "`redirect` is asked once, for the target that is used, not at every request",
  },
  {
    path: /^calls\.log#\d$/,
    why: "what visitors cause is no error of the application, and errors have types of their own",
  },
  {
    path: /^calls\.signIn#1\.emailVerified$/,
    authjs: NOTHING,
    why: "`signIn` is told whether the address was verified (H2)",
  },
  {
    path: /^calls\.jwt#1\.isNewUser$/,
    authjs: /^false$/,
    keyhook: NOTHING,
    why: "nothing states of users that no adapter stores whether they are new",
  },
  {
    path: /^calls\.(?:authorize#1\.0|signIn#1\.credentials)\.(?:csrfToken|callbackUrl)$/,
    keyhook: NOTHING,
    why: "`authorize` is given the declared fields alone (H4)",
  },
  {
    path: /^calls\.(?:authorize#1\.1|sendVerificationRequest#1\.request)\.type$/,
    why: "the content type of a request that is made again is that of its body",
  },

  // The adapter.
  {
    path: /^calls\.lookUps$|^calls\.\.(?:get|list)\w+#\d/,
    why: "look-ups are made once, before anything is changed (H1); a token is read with its user (H2)",
  },

  // Providers.
  {
    at: /^no address/,
    path: /\.profile\.emails$/,
    authjs: NOTHING,
    why: "the profile of GitHub has the addresses, which state whether they are verified",
  },
  {
    path: /^calls\.fetch#\d\.accept$/,
    authjs: /^null$/,
    why: "requests say that they want JSON",
  },
];

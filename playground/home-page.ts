import type { PlaygroundSession } from "./auth.ts";
import { avatar } from "./avatar.ts";
import type { Line } from "./journal.ts";
import { type AppPage, clock } from "./layout.ts";
import { CHOICES, type Look } from "./look.ts";
import { type Markup, markup } from "./markup.ts";
import { PASSWORD, people } from "./people.ts";

/** Options of the home page. */
export interface HomeOptions {
  session: PlaygroundSession | null;
  csrfToken: string;
  /** Origin of the application. */
  origin: string;
  /** Issuer of Playground ID. */
  issuer: string;
  /** Whether a nickname was just rejected. */
  refused: boolean;
  look: Look;
  lines: readonly Line[];
}

const passkeysOff = markup`<p class="quiet" data-passkeys-off>Passkeys need a browser with JavaScript switched on.</p>`;

function signInMethods({ csrfToken, origin }: HomeOptions): Markup {
  const hidden = markup`<input type="hidden" name="csrfToken" value="${csrfToken}">
<input type="hidden" name="callbackUrl" value="${origin}">`;
  return markup`<section class="card">
<h1>You are signed out</h1>
<p class="quiet">There are four sign-in methods. All of them start the same kind of session.</p>
<form method="post" action="/auth/signin/playground">${hidden}
<button class="button plain"><span class="seal" aria-hidden="true"></span>Sign in with Playground ID</button></form>
<p class="divider">or</p>
<form method="post" action="/auth/callback/credentials">${hidden}
<div class="pair"><div>
<label for="username">Username</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required>
</div><div>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
</div></div>
<button class="button primary">Sign in</button></form>
<p class="divider">or</p>
<form method="post" action="/auth/signin/outbox">${hidden}
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="email" placeholder="you@playground.example" required>
<button class="button plain">Email me a sign-in link</button></form>
<p class="link">The mail goes no further than the <a href="/outbox">outbox</a>.</p>
<p class="divider">or</p>
<form data-passkey hidden>
<label for="owner">Address for a new passkey</label>
<input id="owner" name="email" type="email" autocomplete="username" placeholder="me@playground.example" required>
<div class="pair">
<button class="button plain" value="register">Create a passkey</button>
<button class="button plain" value="authenticate" formnovalidate>Use a passkey</button>
</div>
<p role="status" data-result></p></form>
${passkeysOff}
<p class="link"><a href="/auth/signin">All of them on Keyhook's own sign-in page</a></p>
</section>`;
}

function testUsers(): Markup {
  const rows = people.map(
    ({ username, name, note }) =>
      markup`<li>${avatar(name)}<span><code>${username}</code><small>${note ?? name}</small></span></li>`,
  );
  return markup`<section class="card">
<h2>Test users</h2>
<ul class="roster">${rows}</ul>
<p class="quiet">The password of every test user: <code>${PASSWORD}</code></p>
</section>`;
}

function actions(session: PlaygroundSession, { csrfToken, origin, refused }: HomeOptions): Markup {
  const { user, expires, nickname } = session;
  const name = user?.name ?? user?.email ?? "visitor";
  return markup`<section class="card">
<div class="who">${avatar(name)}<div><h1>Hello, <span data-name>${nickname ?? name}</span></h1>
<p class="quiet">${user?.name ? (user.email ?? "identified by a password") : "identified by this address"}</p></div></div>
<p class="expiry">This session ends <strong><time datetime="${expires}" data-expires>at ${clock(expires)}</time></strong></p>
<p class="account"><a class="button primary" href="/auth/account">Your account: sign-in methods, sessions</a></p>
<div class="pair">
<a class="button plain" href="/" data-refresh>Refresh</a>
<form method="post" action="/auth/signout" data-signout>
<input type="hidden" name="csrfToken" value="${csrfToken}">
<input type="hidden" name="callbackUrl" value="${origin}">
<button class="button plain">Sign out</button></form>
</div>
<form method="post" action="/nickname" data-nickname>
<label for="nickname">Nickname</label>
<div class="pair"><input id="nickname" name="nickname" value="${nickname ?? ""}" autocomplete="off" aria-describedby="nickname-result" required>
<button class="button plain">Update</button></div>
<p id="nickname-result" class="${refused ? "message bad" : "quiet"}" role="status" data-result>${
    refused
      ? "That nickname was refused: the session callback takes up to 24 letters."
      : "Goes to the session callback as an update, which checks it."
  }</p>
</form>
<form data-passkey hidden>
<button class="button plain" value="register">Add a passkey</button>
<p role="status" data-result></p></form>
${passkeysOff}
</section>`;
}

function providerCard(issuer: string): Markup {
  return markup`<section class="card" id="provider">
<h2>Playground ID</h2>
<p class="quiet">For a session that began there. A sign-out here leads through it, and one there ends the session here.</p>
<div class="pair">
<a class="button plain" href="/provider">Ask it who you are</a>
<a class="button plain" href="${issuer}/session/end" target="_blank">Sign out there</a>
</div>
</section>`;
}

// The page's script starts from this session and keeps it up to date.
function liveSession(session: PlaygroundSession | null): Markup {
  const status = session ? "authenticated" : "unauthenticated";
  return markup`<section class="card">
<div class="title"><h2>Live session</h2><span class="status" data-status="${status}" role="status">${status}</span></div>
<pre data-json tabindex="0" role="region" aria-label="Session as JSON">${JSON.stringify(session, null, 2)}</pre>
<p class="quiet">Kept up to date by <code>watchSession</code> of <code>keyhook/client</code>:
<a href="/" target="_blank">open a second tab</a>, sign in or out there, and watch this one. It last changed
<time data-changed>with this page</time>.</p>
</section>`;
}

function lookCard(look: Look): Markup {
  const row = (kind: keyof Look, legend: string) => {
    const buttons = Object.entries(CHOICES[kind]).map(([value, text]) => {
      const lang = kind === "language" && value !== "auto" && markup` lang="${value}"`;
      const dot = kind === "color" && markup`<span class="dot ${value}" aria-hidden="true"></span>`;
      return markup`<button class="chip" name="${kind}" value="${value}"${lang} aria-pressed="${String(look[kind] === value)}">${dot}${text}</button>`;
    });
    return markup`<fieldset><legend>${legend}</legend><div class="chips">${buttons}</div></fieldset>`;
  };
  return markup`<section class="card" id="look">
<h2>Language and look</h2>
<form method="post" action="/look">
${row("language", "Language")}
${row("scheme", "Scheme")}
${row("color", "Brand color")}
</form>
<p class="quiet">The language is that of Keyhook's own pages and mails: see
<a href="/auth/signin">sign in</a>, <a href="/auth/account">account</a>,
<a href="/auth/error?error=AccessDenied">an error</a>.</p>
</section>`;
}

/** Renders the last events, as a part of the home page. */
export function eventLog(lines: readonly Line[]): Markup {
  const rows = lines.map(({ at, who, what, times }) => {
    const repeated = times > 1 && markup` <small>&times;${times}</small>`;
    return markup`<li><time datetime="${at.toISOString()}">${clock(at)}</time>
<span><strong>${who}</strong> ${what}${repeated}</span></li>`;
  });
  return markup`<section class="card later" data-events>
<h2>Last events</h2>
${rows.length ? markup`<ol class="events">${rows}</ol>` : markup`<p class="quiet">Nothing yet.</p>`}
</section>`;
}

const THINGS_TO_TRY = [
  "Sign in with a wrong password.",
  "Choose Playground ID and deny.",
  "Sign in with Playground ID, and sign out there: the session here ends.",
  "Sign in as Quill: the signIn callback rejects.",
  "Follow a mailed link twice, or copy it into another browser.",
  "Enter the code of the mail in the tab where you asked for it.",
  "Sign in from two tabs at once.",
  "Sign in from two browsers, and end one session on the account page of the other.",
  "Sign in with a password, then link Playground ID on the account page.",
  "Turn two-step verification on, on the account page, and sign in again.",
  "Watch the end of the session move: it is extended when a minute has passed.",
  "Switch scripts off: all but passkeys works.",
];

function thingsToTry(): Markup {
  return markup`<section class="card later">
<h2>Things to try</h2>
<ul class="plain-list">${THINGS_TO_TRY.map((thing) => markup`<li>${thing}</li>`)}</ul>
<p class="quiet">The sign-in is configured in <code>playground/auth.ts</code>.</p>
</section>`;
}

/** Renders the home page: the session, or the sign-in methods. */
export function homePage(options: HomeOptions): AppPage {
  const { session, look, lines } = options;
  return {
    title: session ? "Session" : "Sign in",
    here: "/",
    content: markup`<main class="columns">
<div>${session ? actions(session, options) : signInMethods(options)}${thingsToTry()}</div>
<div>${session ? undefined : testUsers()}${liveSession(session)}${session ? providerCard(options.issuer) : undefined}${lookCard(look)}${eventLog(lines)}</div>
</main>`,
  };
}

/** Renders the page for unknown paths. */
export function lostPage(): AppPage {
  return {
    title: "Not found",
    content: markup`<main class="card narrow"><h1>There is nothing here</h1>
<a class="button primary" href="/">To the playground</a></main>`,
  };
}

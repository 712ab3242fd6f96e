import type { Inspection } from "../presets/index.ts";
import type { PlaygroundSession } from "./auth.ts";
import { avatar } from "./avatar.ts";
import type { Line } from "./journal.ts";
import { type Markup, markup } from "./markup.ts";
import type { Letter } from "./outbox.ts";
import { PASSWORD, people } from "./people.ts";

/** What the first page shows. */
export interface HomeOptions {
  session: PlaygroundSession | null;
  csrfToken: string;
  /** Where people find the application. */
  origin: string;
  /** Whether a nickname was just refused. */
  refused: boolean;
  lines: readonly Line[];
}

function layout(title: string, here: string, content: Markup): Markup {
  const link = (href: string, text: string) =>
    markup`<a href="${href}"${href === here && markup` aria-current="page"`}>${text}</a>`;
  return markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} - Keyhook playground</title>
<link rel="icon" href="/key.svg">
<link rel="stylesheet" href="/style.css">
<script type="module" src="/enhance.js"></script>
</head>
<body>
<header class="top">
<a class="brand" href="/"><img src="/key.svg" alt="" width="28" height="28">Keyhook <span>playground</span></a>
<nav>${link("/", "Session")}${link("/outbox", "Outbox")}${link("/inspector", "Inspector")}</nav>
</header>
${content}
</body>
</html>
`;
}

const clock = (at: Date | string) => new Date(at).toTimeString().slice(0, 8);

// --- session -----------------------------------------------------------------------------------

function waysIn({ csrfToken, origin }: HomeOptions): Markup {
  const hidden = markup`<input type="hidden" name="csrfToken" value="${csrfToken}">
<input type="hidden" name="callbackUrl" value="${origin}">`;
  return markup`<section class="card">
<h1>You are signed out</h1>
<p class="quiet">Come in by one of three ways. All end in the same session.</p>
<form method="post" action="/auth/signin/playground">${hidden}
<button class="button plain"><span class="seal" aria-hidden="true"></span>Sign in with Playground ID</button></form>
<p class="divider">or</p>
<form method="post" action="/auth/callback/credentials">${hidden}
<label for="username">User name</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button class="button primary">Sign in</button></form>
<p class="divider">or</p>
<form method="post" action="/auth/signin/outbox">${hidden}
<label for="email">Address</label>
<input id="email" name="email" type="email" autocomplete="email" placeholder="anybody@playground.example" required>
<button class="button plain">Sign in by e-mail</button></form>
<p class="link">The mail goes no further than the <a href="/outbox">outbox</a>.</p>
<p class="link"><a href="/auth/signin">Keyhook's own sign-in page</a></p>
</section>`;
}

function whoToBe(): Markup {
  const rows = people.map(
    ({ username, name, note }) =>
      markup`<li>${avatar(name)}<span><code>${username}</code><small>${note ?? name}</small></span></li>`,
  );
  return markup`<section class="card">
<h2>Who to be</h2>
<ul class="roster">${rows}</ul>
<p class="quiet">The password of all of them: <code>${PASSWORD}</code></p>
</section>`;
}

function actions(session: PlaygroundSession, { csrfToken, origin, refused }: HomeOptions): Markup {
  const { user, expires, nickname } = session;
  const name = user?.name ?? user?.email ?? "somebody";
  return markup`<section class="card" data-session data-csrf="${csrfToken}">
<div class="who">${avatar(name)}<div><h1>Hello, <span data-name>${nickname ?? name}</span></h1>
<p class="quiet">${(user?.name && user.email) || "known by this address"}</p></div></div>
<p class="expiry">This session ends <strong><time datetime="${expires}" data-expires>at ${clock(expires)}</time></strong></p>
<div class="pair">
<a class="button plain" href="/" data-refresh>Refresh</a>
<form method="post" action="/auth/signout">
<input type="hidden" name="csrfToken" value="${csrfToken}">
<input type="hidden" name="callbackUrl" value="${origin}">
<button class="button plain">Sign out</button></form>
</div>
<form method="post" action="/nickname" data-nickname>
<label for="nickname">Nickname</label>
<div class="pair"><input id="nickname" name="nickname" value="${nickname ?? ""}" autocomplete="off" aria-describedby="told" required>
<button class="button primary">Update</button></div>
<p id="told" class="${refused ? "message bad" : "quiet"}" role="status" data-told>${
    refused
      ? "That nickname was refused: the jwt callback takes up to 24 letters."
      : "Goes to the jwt callback as trigger update, which checks it."
  }</p>
</form>
</section>`;
}

function asJson(session: PlaygroundSession): Markup {
  return markup`<section class="card">
<h2>What <code>getSession()</code> answers</h2>
<pre data-json tabindex="0" role="region" aria-label="Session as JSON">${JSON.stringify(session, null, 2)}</pre>
<p class="quiet">The cookie that carries it is encrypted; the server keeps no session.</p>
</section>`;
}

function eventLog(lines: readonly Line[]): Markup {
  const rows = lines.map(({ at, who, what, times }) => {
    const repeated = times > 1 && markup` <small>&times;${times}</small>`;
    return markup`<li><time datetime="${at.toISOString()}">${clock(at)}</time>
<span><strong>${who}</strong> ${what}${repeated}</span></li>`;
  });
  return markup`<section class="card" data-events>
<h2>Last events</h2>
${rows.length ? markup`<ol class="events">${rows}</ol>` : markup`<p class="quiet">Nothing yet.</p>`}
</section>`;
}

const THINGS_TO_TRY = [
  "Sign in with a wrong password.",
  "Choose Playground ID and deny.",
  "Be Quill: the signIn callback refuses.",
  "Follow a mailed link twice, or copy it into another browser.",
  "Sign in from two tabs at once.",
  "Watch the end of the session move: it is extended when a minute has passed.",
  "Switch scripts off: everything still works.",
];

function thingsToTry(): Markup {
  return markup`<section class="card later">
<h2>Things to try</h2>
<ul class="plain-list">${THINGS_TO_TRY.map((thing) => markup`<li>${thing}</li>`)}</ul>
<p class="quiet">The sign-in is configured in <code>playground/auth.ts</code>.</p>
</section>`;
}

/** Who is signed in, or the ways in. */
export function homePage(options: HomeOptions): Markup {
  const { session, lines } = options;
  return layout(
    session ? "Session" : "Sign in",
    "/",
    markup`<main class="columns">
<div>${session ? actions(session, options) : waysIn(options)}${thingsToTry()}</div>
<div>${session ? asJson(session) : whoToBe()}${eventLog(lines)}</div>
</main>`,
  );
}

// --- outbox ------------------------------------------------------------------------------------

// What is in a mail may do nothing but be looked at, and lead away from here when it is clicked.
function letter({ at, to, subject, text, html, url }: Letter): Markup {
  const framed = html.replace("<head>", '<head><base target="_top">');
  return markup`<article class="card letter">
<h2>${subject}</h2>
<p class="quiet">to <strong>${to}</strong> at <time datetime="${at.toISOString()}">${clock(at)}</time></p>
<p><a class="button primary" href="${url}">Follow the link</a></p>
<details open><summary>As text</summary><pre tabindex="0" role="region" aria-label="The mail as text">${text}</pre></details>
<details><summary>As HTML</summary>
<iframe title="The mail as HTML" sandbox="allow-top-navigation-by-user-activation" srcdoc="${framed}"></iframe></details>
</article>`;
}

/** The mails that would have been sent, newest first. */
export function outboxPage(letters: readonly Letter[]): Markup {
  return layout(
    "Outbox",
    "/outbox",
    markup`<main class="wide">
<div class="intro"><h1>Outbox</h1>
<p class="quiet">${
      letters.length
        ? "The mails that would have been sent, newest first. A link works once, for ten minutes."
        : markup`No mails yet. <a href="/">Sign in by e-mail</a>, and the link is here.`
    }</p></div>
${letters.map(letter)}
</main>`,
  );
}

// --- inspector ---------------------------------------------------------------------------------

type Cell = string | Markup;

function table(title: string, head: readonly string[], rows: readonly (readonly Cell[])[]): Markup {
  const cells = (row: readonly Cell[]) =>
    row.map((cell, at) => markup`<td data-label="${head[at]}">${cell}</td>`);
  return markup`<section class="card">
<h2>${title}</h2>
<table>
<thead><tr>${head.map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map((row) => markup`<tr>${cells(row)}</tr>`)}</tbody>
</table>
</section>`;
}

const code = (text: string) => markup`<code>${text}</code>`;

const STAGES: Record<number, string> = {
  [-100]: "first",
  [-10]: "early",
  0: "normal",
  10: "late",
  100: "last",
};

function tapsOf(taps: Inspection["hooks"][string]["taps"]): Cell {
  if (!taps.length) return markup`<span class="quiet">nobody</span>`;
  const items = taps.map(
    ({ name, stage, plugin }) =>
      markup`<li><strong>${name}</strong> ${STAGES[stage] ?? stage}${
        plugin !== name && markup`, <small>by ${plugin}</small>`
      }</li>`,
  );
  return markup`<ol class="taps">${items}</ol>`;
}

function attributesOf(attributes: object): string {
  return Object.entries(attributes)
    .filter(([, value]) => value !== false && value !== undefined)
    .map(([name, value]) => (value === true ? name : `${name}=${String(value)}`))
    .join(", ");
}

/** Everything that `auth.inspect()` tells, as tables. */
export function inspectorPage(inspection: Inspection): Markup {
  const { plugins, hooks, events, routes, cookies, providers, store, adapter } = inspection;
  const broughtBy = (name: string) => [
    ...routes.flatMap(({ method, path, plugin }) => (plugin === name ? `${method} ${path}` : [])),
    ...Object.entries(hooks).flatMap(([hook, { taps }]) =>
      taps.some(({ plugin }) => plugin === name) ? `a tap of ${hook}` : [],
    ),
  ];
  return layout(
    "Inspector",
    "/inspector",
    markup`<main class="wide">
<div class="intro"><h1>Inspector</h1>
<p class="quiet">What <code>auth.inspect()</code> answers: everything that is plugged in, and the taps of each hook in the order in which they speak.
Base path <code>${inspection.basePath}</code>, sessions kept by <code>${inspection.strategy}</code>,
records in <code>${store.backend?.name ?? "no store"}</code>, ${adapter?.methods.length ?? 0} methods of the adapter.</p></div>
${table(
  "Hooks",
  ["Hook", "Kind", "Taps"],
  Object.entries(hooks).map(([name, { kind, taps }]) => [code(name), kind, tapsOf(taps)]),
)}
${table(
  "Events",
  ["Event", "Heard by"],
  Object.entries(events).map(([name, plugins]) => [code(name), plugins.join(", ")]),
)}
${table(
  "Providers",
  ["Provider", "Name", "Type"],
  providers.map(({ id, name, type }) => [code(id), name, type]),
)}
${table(
  "Plugins",
  ["Plugin", "Brings"],
  plugins.map(({ name, provides }) => [code(name), [...provides, ...broughtBy(name)].join(", ")]),
)}
${table(
  "Routes",
  ["Route", "CSRF token", "Plugin"],
  routes.map(({ method, path, csrf, plugin }) => [code(`${method} ${path}`), csrf, plugin]),
)}
${table(
  "Cookies",
  ["For", "Name", "Attributes"],
  Object.entries(cookies).map(([key, { name, attributes }]) => [
    key,
    code(name),
    attributesOf(attributes),
  ]),
)}
${table(
  "Store",
  ["Namespace", "Kept by", "Needs"],
  store.namespaces.map(({ namespace, plugin, needs }) => [
    code(namespace),
    plugin,
    attributesOf(needs),
  ]),
)}
</main>`,
  );
}

/** There is nothing here. */
export function lostPage(): Markup {
  return layout(
    "Not found",
    "",
    markup`<main class="card narrow"><h1>There is nothing here</h1>
<a class="button primary" href="/">To the playground</a></main>`,
  );
}

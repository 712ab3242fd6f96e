import { type AppPage, clock } from "./layout.ts";
import { type Markup, markup } from "./markup.ts";
import type { Letter } from "./outbox.ts";

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
export function outboxPage(letters: readonly Letter[]): AppPage {
  return {
    title: "Outbox",
    here: "/outbox",
    content: markup`<main class="wide">
<div class="intro"><h1>Outbox</h1>
<p class="quiet">${
      letters.length
        ? "The mails that would have been sent, newest first. A link works once, for ten minutes."
        : markup`No mails yet. <a href="/">Sign in by e-mail</a>, and the link is here.`
    }</p></div>
${letters.map(letter)}
</main>`,
  };
}

import { type AppPage, clock } from "./layout.ts";
import { type Markup, markup } from "./markup.ts";
import type { OutboxMail } from "./outbox.ts";

// An e-mail runs no script and submits no form. Its links open in the top window.
function renderMail({ at, to, subject, text, html, url }: OutboxMail): Markup {
  const framed = html.replace("<head>", '<head><base target="_top">');
  return markup`<article class="card mail">
<h2>${subject}</h2>
<p class="quiet">to <strong>${to}</strong> at <time datetime="${at.toISOString()}">${clock(at)}</time></p>
<p><a class="button primary" href="${url}">Follow the link</a></p>
<details open><summary>As text</summary><pre tabindex="0" role="region" aria-label="The mail as text">${text}</pre></details>
<details><summary>As HTML</summary>
<iframe title="The mail as HTML" sandbox="allow-top-navigation-by-user-activation" srcdoc="${framed}"></iframe></details>
</article>`;
}

/** Renders the e-mails that would have been sent, newest first. */
export function outboxPage(mails: readonly OutboxMail[]): AppPage {
  return {
    title: "Outbox",
    here: "/outbox",
    content: markup`<main class="wide">
<div class="intro"><h1>Outbox</h1>
<p class="quiet">${
      mails.length
        ? "The mails that would have been sent, newest first. A link works once, for ten minutes."
        : markup`No mails yet. <a href="/">Sign in by e-mail</a>, and the link is here.`
    }</p></div>
${mails.map(renderMail)}
</main>`,
  };
}

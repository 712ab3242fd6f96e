import { avatar } from "./avatar.ts";
import { Markup, markup } from "./markup.ts";
import { people, type Person } from "./people.ts";

function layout(title: string, content: Markup): Markup {
  return markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} - Playground ID</title>
<link rel="stylesheet" href="/style.css">
</head>
<body class="identity">
<main class="card narrow">
<p class="brand"><span class="seal" aria-hidden="true"></span>Playground ID</p>
${content}
</main>
</body>
</html>
`;
}

/** Renders the choice of a user. */
export function choosePage(uid: string, application: string): Markup {
  const choices = people.map(
    (person) => markup`<li><button class="person" name="person" value="${person.id}">
${avatar(person.name)}
<span><strong>${person.name}</strong>
<small>${person.note ?? person.email}</small></span>
</button></li>`,
  );
  return layout(
    "Choose a user",
    markup`<h1>Who are you today?</h1>
<p class="quiet">to go on to ${new URL(application).host}</p>
<form action="/interaction/${uid}"><ul class="people">${choices}</ul></form>
<form method="post" action="/interaction/${uid}">
<button class="link" name="decision" value="deny">Cancel</button></form>`,
  );
}

/** Renders the consent page. */
export function consentPage(uid: string, application: string, person: Person): Markup {
  return layout(
    "Allow",
    markup`<h1>Allow ${new URL(application).host}?</h1>
<p class="who">${avatar(person.name)}<span>as <strong>${person.name}</strong></span></p>
<p class="quiet">It will receive your</p>
<dl class="claims"><div><dt>Name</dt><dd>${person.name}</dd></div>
<div><dt>Address</dt><dd>${person.email}</dd></div></dl>
<form method="post" action="/interaction/${uid}">
<input type="hidden" name="person" value="${person.id}">
<div class="pair">
<button class="button plain" name="decision" value="deny">Deny</button>
<button class="button primary" name="decision" value="allow">Allow</button>
</div></form>`,
  );
}

/** Renders the question whether to sign out. `form` is the provider's form, whose id is `op.logoutForm`. */
export function logoutPage(application: string, form: string): Markup {
  return layout(
    "Sign out",
    markup`<h1>Sign out of Playground ID?</h1>
<p class="quiet">It tells ${new URL(application).host}, which ends its session too.</p>
${new Markup(form)}
<div class="pair">
<button class="button plain" form="op.logoutForm">Stay signed in</button>
<button class="button primary" form="op.logoutForm" name="logout" value="yes">Sign out everywhere</button>
</div>`,
  );
}

/** Renders the page that a visitor sees after signing out at the provider. */
export function goodbyePage(application: string): Markup {
  return layout(
    "Signed out",
    markup`<h1>You are signed out of Playground ID</h1>
<a class="button primary" href="${application}">Back to ${new URL(application).host}</a>`,
  );
}

/** Renders an error with a link back to the application. */
export function problemPage(application: string, text: string): Markup {
  return layout(
    "Problem",
    markup`<h1>That did not work</h1>
<p class="message bad" role="alert">${text}</p>
<a class="button primary" href="${application}">Back to ${new URL(application).host}</a>`,
  );
}

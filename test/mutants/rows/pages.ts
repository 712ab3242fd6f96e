import type { Mutants } from "../_mutant.ts";

export const PAGES: readonly Mutants[] = [
  {
    file: "src/i18n/date.ts",
    tests: ["test/pages/languages.test.ts"],
    edits: [["a date is in the server's time zone", `    timeZone: "UTC",\n`, ""]],
  },
  {
    file: "src/i18n/label.ts",
    tests: ["test/pages/languages.test.ts"],
    edits: [
      [
        "a label is in a language that few visitors read",
        "[language, DEFAULT_LOCALE]",
        "[language]",
      ],
      ["a label is the id of a text that no plugin has", "has(id) ? t(id) : label", "t(id)"],
    ],
  },
  {
    file: "src/i18n/messages.ts",
    tests: ["test/pages/languages.test.ts"],
    edits: [
      [
        "the region of one visitor applies to another",
        "found ? { ...translator, locale: found.wanted } : translator",
        "found ? Object.assign(translator, { locale: found.wanted }) : translator",
      ],
      [
        "an error without a translation is unknown",
        "own.has(id) || english.has(id)",
        "own.has(id)",
      ],
      [
        "an English fallback text has the plural forms of another language",
        "own.has(id) ? language : DEFAULT_LOCALE",
        "language",
      ],
      ["a missing plural form is empty", "?? forms.other", '?? ""'],
    ],
  },
  {
    file: "src/page/block.ts",
    tests: ["test/kernel/render.test.ts"],
    edits: [
      ["a page that a link opens in a new tab gets the opener", ' rel="noopener"', ""],
      [
        "a button posts the hidden fields of another",
        "if (isOne && block.form.hidden === hidden)",
        "if (isOne)",
      ],
      [
        "a field in the middle of a page takes the focus",
        "...renderInner(others, drawing)",
        "...renderBlocks(others, drawing)",
      ],
      ["a user without a name counts as missing", 'name || email || ""', 'name || ""'],
    ],
  },
  {
    file: "src/page/color.ts",
    tests: ["test/kernel/render.test.ts"],
    edits: [
      [
        "the text of the theme is unreadable on its brand color",
        "contrast(over, under) < 4.5",
        "contrast(over, under) < 3",
      ],
      ["a dark color has unreadable white text", "0.04045", "0.4045"],
    ],
  },
  {
    file: "src/page/form.ts",
    tests: ["test/kernel/render.test.ts"],
    edits: [
      [
        "a new password is filled in as the current one",
        'if (!attributes.has("autocomplete")) {',
        "{",
      ],
      [
        "a button without a safe action posts to the page",
        "    if (action === undefined) continue;\n",
        "",
      ],
      [
        "a row's button without a safe action posts to the page",
        "  if (action === undefined) return undefined;\n  const hidden =",
        "  const hidden =",
      ],
      ["a form is shown before its script has run", ' hidden data-live="', ' data-live="'],
      [
        "screen readers read a part of a button",
        'const label = short !== undefined && html` aria-label="${submit}"`;',
        "const label = undefined;",
      ],
    ],
  },
  {
    file: "src/page/respond.ts",
    tests: ["test/pages/reusable.test.ts", "test/pages/data.test.ts"],
    edits: [
      ["the data of a page contains its nonce", "{ nonce: _, policy: __,", "{ policy: __,"],
      [
        "the data of a failed page has the status 200",
        "status: status ?? 200, headers });\n}",
        "status: 200, headers });\n}",
      ],
      [
        "a page in one language is shown in every other",
        "[content, theme, origin, base, leavesOrigin, language]",
        "[content, theme, origin, base, leavesOrigin]",
      ],
      [
        "a page for one visitor is shown to all",
        "[content, theme, origin, base, leavesOrigin, language]",
        "[content.name, theme, origin, base, leavesOrigin, language]",
      ],
      [
        "a page contains another visitor's token",
        'rendered.hasToken ? ((await options.csrfToken()) ?? "") : ""',
        "tokenPlaceholder",
      ],
      [
        "all pages have one nonce",
        "part === noncePlaceholder ? nonce",
        "part === noncePlaceholder ? noncePlaceholder",
      ],
      ["the nonce of a cached page may be anything", "checkNonce(nonce);", ""],
    ],
  },
  {
    file: "src/page/html.ts",
    tests: ["test/kernel/render.test.ts", "test/pages/pages.test.ts"],
    edits: [
      ["markup in a text becomes part of the page", `if (char === 60) return "&lt;";`, ""],
      ["a text ends its attribute", `if (char === 34) return "&quot;";`, ""],
      [
        "a limit of zero is ignored",
        "value === undefined || value === null || value === false",
        "!value",
      ],
    ],
  },
  {
    file: "src/page/safe.ts",
    tests: ["test/kernel/render.test.ts", "test/pages/pages.test.ts"],
    edits: [
      [
        "a link runs a script",
        `return /^https?:$/.test(new URL(value, "https://relative.invalid").protocol)`,
        `return /:$/.test(new URL(value, "https://relative.invalid").protocol)`,
      ],
      [
        "a link with a script that mentions an authenticator app is allowed",
        "AUTHENTICATOR_URL = /^otpauth:",
        "AUTHENTICATOR_URL = /otpauth:",
      ],
      ["a field has event handlers", "if (!isAttribute(name)) {", "if (!name) {"],
    ],
  },
  {
    file: "src/page/csrf-field.ts",
    tests: ["test/pages/csrf-field.test.ts", "test/pages/undefined-fields.test.ts"],
    edits: [
      [
        "a form gets no token next to one that posts elsewhere",
        "listForms(block).some(",
        "listForms(block).every(",
      ],
      [
        "a form with an undefined token gets none",
        "{ ...form.hidden, [FIELD]: csrfToken }",
        "{ [FIELD]: csrfToken, ...form.hidden }",
      ],
      [
        "a form that posts to another site gets the token",
        "return new URL(action, url).href.startsWith(`${base}/`);",
        "return true;",
      ],
    ],
  },
  {
    file: "src/page/headers.ts",
    tests: ["test/pages/headers.test.ts"],
    edits: [
      ["another site frames a page", `    "frame-ancestors": "'none'",\n`, ""],
      ["a page runs any script", `    "default-src": "'none'",\n`, ""],
      [
        "a source injects a directive",
        "!DIRECTIVE.test(name) || !SOURCES.test(sources)",
        "!DIRECTIVE.test(name)",
      ],
    ],
  },
  {
    file: "src/client/navigation.ts",
    tests: ["test/client/client.test.ts", "test/attack/client.test.ts"],
    edits: [
      [
        "a client runs a script that the server names",
        "return /^https?:$/.test(url.protocol) ? url : undefined;",
        "return url;",
      ],
      ["a sign-in on a server navigates", "  if (!isPage()) return;\n", ""],
      [
        "a target on a server may have another host",
        "URL.canParse(target) || isPage() ? url.href : url.pathname + url.search + url.hash",
        "url.href",
      ],
    ],
  },
  {
    file: "src/client/broadcast.ts",
    tests: ["test/client/client.test.ts"],
    edits: [
      [
        "the session of one visitor reaches another on a server",
        "  if (!isPage()) return { publish() {}, subscribe: () => () => {} };\n",
        "",
      ],
      ["a page that subscribes again receives nothing", "        channel = undefined;\n", ""],
      ["a list counts as a session", " || Array.isArray(body)) {", ") {"],
      [
        "an empty object counts as a session",
        "Object.keys(body).length ? (body as Session) : null",
        "body as Session",
      ],
    ],
  },
  {
    file: "plugins/pages/_next-page.ts",
    tests: ["test/pages/error-texts.test.ts", "test/flows/email-code.test.ts"],
    edits: [
      [
        "a stale form redirects a user who signed in long ago",
        "time === undefined || Date.now() / 1000 - time >= REPEAT_S",
        "time === undefined",
      ],
      [
        "a form that is posted twice is an error",
        "REPEATED.has(error) && (await ctx.session())",
        "REPEATED.has(error) && null",
      ],
      ["a code that is entered twice is an error", ', "InvalidEmailCode"]', "]"],
    ],
  },
  {
    file: "plugins/pages/_load-icons.ts",
    tests: ["test/pages/provider-buttons.test.ts"],
    edits: [
      [
        "an icon of one application appears in another",
        "const icons = new Map(ICONS);",
        "const icons = ICONS as Map<string, Icon>;",
      ],
    ],
  },
  {
    file: "plugins/pages/_own-page.ts",
    tests: ["test/pages/pages.test.ts", "test/kernel/csrf.test.ts"],
    edits: [
      ["the page of another host is never shown", "return [url.origin, ...url", "return [...url"],
      [
        "a form that the application's server renders is refused",
        "  if (response) await ctx.csrfToken();\n",
        "",
      ],
    ],
  },
  {
    file: "plugins/pages/signin.ts",
    tests: ["test/pages/pages.test.ts"],
    edits: [
      [
        "a sign-in on one host posts to another",
        "let list = lists.get(ctx.base);\n      if (!list) {\n        list = [...kernel.providers.values()].map((provider) => providerAt(ctx, provider));\n        lists.set(ctx.base, list);",
        'let list = lists.get("");\n      if (!list) {\n        list = [...kernel.providers.values()].map((provider) => providerAt(ctx, provider));\n        lists.set("", list);',
      ],
      [
        "the hidden fields of a flow are lost",
        "plain.hidden ? { ...plain.hidden, ...common } : common",
        "common",
      ],
      [
        "the address of a link is not filled in for a registration",
        "if (form.other?.fields) form.other = { ...form.other, fields: prefill(form.other.fields) };",
        "",
      ],
    ],
  },
  {
    file: "plugins/pages/signout.ts",
    tests: ["test/pages/error-texts.test.ts"],
    edits: [
      [
        "a signed-in user gets the redirect of a signed-out one",
        "isRefused && !(await ctx.session())",
        "isRefused",
      ],
      [
        "a user who has signed out in another tab sees a failure",
        "  if (isRefused && !(await ctx.session())) return ctx.redirect(await ctx.callbackUrl());\n",
        "",
      ],
    ],
  },
  {
    file: "plugins/pages/account.ts",
    tests: ["test/pages/error-texts.test.ts"],
    edits: [
      [
        "failures on the account page redirect to the sign-in page",
        '(await ctx.callbackUrl()).split("?")',
        "[await ctx.callbackUrl()]",
      ],
    ],
  },
  {
    file: "plugins/pages/account/sections.ts",
    tests: ["test/pages/account.test.ts"],
    edits: [
      ["a description of any length is shown", "?.slice(0, MAX_DESCRIPTION)", ""],
      ["a session's start is its expiry", "created ?? expires", "expires"],
      [
        "an unverified address counts as a sign-in method",
        "const address = getVerifiedEmail(kernel, user);",
        "const address = user.email;",
      ],
    ],
  },
];

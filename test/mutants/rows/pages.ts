import type { Mutants } from "../_mutant.ts";

export const PAGES: readonly Mutants[] = [
  {
    file: "src/page/respond.ts",
    tests: ["test/pages/reusable.test.ts"],
    edits: [
      [
        "a page of one language is shown in every other",
        "[content, theme, origin, base, leavesOrigin, language]",
        "[content, theme, origin, base, leavesOrigin]",
      ],
      [
        "what a page shows to one visitor is shown to all",
        "[content, theme, origin, base, leavesOrigin, language]",
        "[content.name, theme, origin, base, leavesOrigin, language]",
      ],
      [
        "a page contains a token that is not the visitor's",
        'drawing.hasToken ? ((await options.csrfToken()) ?? "") : ""',
        "tokenMark",
      ],
      ["all pages have one nonce", "part === nonceMark ? nonce", "part === nonceMark ? nonceMark"],
      ["the nonce of a kept page may be anything", "checkNonce(nonce);", ""],
    ],
  },
  {
    file: "src/page/html.ts",
    tests: ["test/kernel/render.test.ts", "test/pages/pages.test.ts"],
    edits: [
      ["markup of a text is a page's", `if (char === 60) return "&lt;";`, ""],
      ["a text ends its attribute", `if (char === 34) return "&quot;";`, ""],
    ],
  },
  {
    file: "src/page/safe.ts",
    tests: ["test/kernel/render.test.ts", "test/pages/pages.test.ts"],
    edits: [
      [
        "a link runs script",
        `return /^https?:$/.test(new URL(value, "https://relative.invalid").protocol)`,
        `return /:$/.test(new URL(value, "https://relative.invalid").protocol)`,
      ],
      ["a field has event handlers", "if (!isAttribute(name)) {", "if (!name) {"],
    ],
  },
  {
    file: "src/page/csrf-field.ts",
    tests: ["test/pages/csrf-field.test.ts"],
    edits: [
      [
        "a form that posts to another site has the token",
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
        "a source ends its directive",
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
    ],
  },
  {
    file: "plugins/pages/_next-page.ts",
    tests: ["test/pages/error-texts.test.ts", "test/flows/email-code.test.ts"],
    edits: [
      [
        "a stale form leads on who signed in long ago",
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
];

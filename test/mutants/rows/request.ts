import type { Mutants } from "../_mutant.ts";

export const REQUEST: readonly Mutants[] = [
  {
    file: "src/request/csrf.ts",
    tests: ["test/kernel/csrf.test.ts", "test/attack/cross-site.test.ts"],
    edits: [
      [
        "a token and a cookie of other shapes are accepted",
        "if (!TOKEN.test(token) || !TOKEN.test(signature) || rest.length) return undefined;",
        "",
      ],
      [
        "the signature is that of every other hash of the secret",
        `const SIGNING_PREFIX = "keyhook csrf ";`,
        `const SIGNING_PREFIX = "";`,
      ],
      ["a request from another site is accepted", `if (site === "cross-site") return true;`, ""],
      [
        "a request from another origin is accepted",
        "return origin !== ctx.origin;",
        "return false;",
      ],
      [
        "a request from a sibling host without Origin is accepted",
        `return site !== null && site !== "same-origin" && site !== "none";`,
        "return false;",
      ],
      [
        "skipCSRFCheck is the default",
        "if (ctx.kernel.config.skipCSRFCheck) return;",
        "if (!ctx.kernel.config.skipCSRFCheck) return;",
      ],
    ],
  },
  {
    file: "src/request/redirect.ts",
    tests: ["test/kernel/redirect.test.ts", "test/attack/redirects.test.ts"],
    edits: [
      [
        "a path of two slashes names a host",
        `url.startsWith("/") ? origin + url : url`,
        `url.startsWith("/") && url[1] !== "/" ? origin + url : url`,
      ],
      [
        "characters that browsers drop are let through",
        "if (CONTROL.test(url)) return origin;",
        "",
      ],
      [
        "another origin is accepted",
        "if (!target.href.startsWith(`${origin}/`)) return origin;",
        "",
      ],
      [
        "an origin that begins like ours is accepted",
        "startsWith(`${origin}/`)",
        "startsWith(origin)",
      ],
      ["a tap may redirect to blob:", "|blob|file", "|file"],
      ["a tap may redirect to file:", "|file|about", "|about"],
      ["a tap may redirect to about:", "|file|about", "|file"],
      ["a tap may redirect to vbscript:", "|vbscript|", "|"],
      ["a tap may redirect to data:", "|data|vb", "|vb"],
      [
        "a path that a tap returns may name a host",
        '|| target.startsWith("\\\\")) return sameOrigin(target, origin);',
        ") return target;",
      ],
    ],
  },
  {
    file: "src/request/callback-url.ts",
    tests: ["test/kernel/redirect.test.ts", "test/attack/redirects.test.ts"],
    edits: [
      [
        "a remembered target is not checked",
        "return await safeRedirect(ctx, remembered);",
        "return remembered;",
      ],
      ["a posted target is not checked", ": await safeRedirect(ctx, given);", ": given;"],
      [
        "a target that leads nowhere stays",
        "if (all.length) ctx.cookies.clear(name, attributes);",
        "",
      ],
    ],
  },
  {
    file: "src/request/handler.ts",
    tests: [
      "test/kernel/handler.test.ts",
      "test/kernel/session.test.ts",
      "test/attack/cross-site.test.ts",
      "test/attack/http.test.ts",
    ],
    edits: [
      ["a POST needs no CSRF token", "await checkCsrf(ctx);", "await null;"],
      [
        "every route may leave the token out",
        `if (route.csrf !== "flow" || !ctx.provider) return true;`,
        "if (!ctx.provider) return false;",
      ],
      [
        "a route that never responds keeps its request",
        "seconds * 1000, () => {",
        "2 ** 31 - 1, () => {",
      ],
      ["a path below a longer word is ours", ` || !rest.startsWith("/")`, ""],
      [
        "a route that needs a session needs none",
        "return route?.auth ? requireSession(ctx, route) : undefined;",
        "return undefined;",
      ],
      [
        "a path that the parser rewrites has a route",
        `isRewritten ? { action: "" } : router`,
        `!url ? { action: "" } : router`,
      ],
      [
        "a response with cookies may be cached",
        "  forbidCaching(own.headers);\n  return own;\n}\n\n// A response that",
        "  return own;\n}\n\n// A response that",
      ],
      [
        "a response that depends on the session may be cached",
        "const isPersonal = ctx.route?.auth || hasReadSession(ctx);",
        "const isPersonal = false;",
      ],
      [
        "cookies are added to a response that others share",
        "if (isOwn(ctx, response)) return response;",
        "if (response) return response;",
      ],
    ],
  },
  {
    file: "src/request/router.ts",
    tests: ["test/kernel/handler.test.ts", "test/kernel/routes.test.ts"],
    edits: [
      ["an encoded slash is part of a parameter", "/^$|%2f|%5c/i", "/^$/"],
      ["empty segments are parameters", "/^$|%2f|%5c/i", "/%2f|%5c/i"],
    ],
  },
];

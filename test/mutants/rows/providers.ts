import type { Mutants } from "../_mutant.ts";

const CONFORMANCE = "test/providers/conformance.test.ts";

/** The data of the catalog, and how the fields of providers are read. */
export const PROVIDERS: readonly Mutants[] = [
  {
    file: "plugins/flows/oauth/fields.ts",
    tests: ["test/flows/oauth-resolve.test.ts", "test/providers/boot.test.ts"],
    edits: [
      ["a misspelled field is accepted", "findSimilar(name, known)", "undefined"],
      [
        "a value of another type is accepted",
        `!["undefined", type].includes(typeof values[name])`,
        `typeof values[name] === "symbol"`,
      ],
      [
        "a required option may be missing",
        "if (isMissing && !required) return [];",
        "if (isMissing) return [];",
      ],
      ["an empty text counts as an option", ` || value === ""`, ""],
      ["an option may have any value", "(oneOf?.includes(value as string) ?? true)", "true"],
    ],
  },
  {
    file: "plugins/flows/oauth/client-auth.ts",
    tests: [
      "test/flows/oauth-plain.test.ts",
      "test/flows/oauth-idp.test.ts",
      "test/flows/oauth-request.test.ts",
    ],
    edits: [
      ["a public client sends its secret", `if (method !== "none") body.set`, "body.set"],
      ["a secret is sent unencoded", `encodeURIComponent(text).replaceAll("%20", "+")`, "text"],
      [
        "the server's supported methods are ignored",
        `return isPostOnly ? "client_secret_post" :`,
        'return isPostOnly ? "client_secret_basic" :',
      ],
    ],
  },
  {
    file: "src/signin/check-addresses.ts",
    tests: ["test/spec/addresses.test.ts"],
    edits: [
      [
        "boot does not warn about a provider that reports nothing on addresses",
        " || !silent.length",
        " || silent.length",
      ],
      ["boot warns although access can be revoked", "adapter.revokeUserAccess || ", ""],
      ["boot warns although no address signs in its user", " || !opensUsers(kernel)", ""],
    ],
  },
  {
    file: "plugins/flows/_provider-fetch.ts",
    tests: ["test/flows/oauth-faults.test.ts", "test/flows/openid2.test.ts"],
    edits: [
      [
        "an error of a server counts as its response",
        "if (status < 500) return response;",
        "if (status) return response;",
      ],
    ],
  },
  {
    file: "plugins/providers/bluesky.ts",
    tests: ["test/attack/atproto.test.ts", "test/flows/atproto.test.ts"],
    edits: [
      [
        "any server is trusted about an address",
        `"*.host.bsky.network"`,
        `"*.host.bsky.network", "*.social"`,
      ],
      [
        "no server is trusted about an address",
        `["bsky.social", "*.host.bsky.network"]`,
        `["bsky.social"]`,
      ],
    ],
  },
  {
    file: "plugins/providers/steam.ts",
    tests: ["test/flows/openid2.test.ts"],
    edits: [
      [
        "an identifier with any path is a player",
        `claimedId: "https://steamcommunity.com/openid/id/{id}"`,
        `claimedId: "https://steamcommunity.com/openid/{id}"`,
      ],
    ],
  },
  {
    file: "plugins/providers/github.ts",
    tests: ["test/providers/github.test.ts", CONFORMANCE],
    edits: [
      [
        "the public address of GitHub is verified",
        "emails?.find((one) => isSameEmail(one.email, email))?.verified",
        "emails?.some(({ verified }) => verified)",
      ],
    ],
  },
  {
    file: "plugins/providers/discord.ts",
    tests: ["test/providers/discord.test.ts", CONFORMANCE],
    edits: [
      [
        "every address of Discord is verified",
        "isSameEmail(profile.email, email) ? profile.verified : undefined",
        "profile.verified",
      ],
    ],
  },
  {
    file: "plugins/providers/spotify.ts",
    tests: [CONFORMANCE],
    edits: [
      [
        "addresses of Spotify are verified",
        "emailVerified: () => false",
        "emailVerified: () => true",
      ],
    ],
  },
  {
    file: "plugins/providers/kakao.ts",
    tests: ["test/providers/kakao.test.ts"],
    edits: [
      [
        "an address that now belongs to another Kakao account is verified",
        "account?.is_email_valid === true && ",
        "",
      ],
    ],
  },
  {
    file: "plugins/providers/gitlab.ts",
    tests: ["test/providers/gitlab.test.ts", CONFORMANCE],
    edits: [["an unconfirmed address of GitLab is verified", "confirmed_at !== null", "true"]],
  },
  {
    file: "plugins/providers/zoom.ts",
    tests: [CONFORMANCE],
    edits: [["every address of Zoom is verified", "verified === 1", "verified !== -1"]],
  },
  {
    file: "plugins/providers/microsoft-entra-id.ts",
    tests: ["test/providers/microsoft-entra-id.test.ts", CONFORMANCE],
    edits: [
      [
        "any name of a tenant is used as its id",
        "TENANT_ID.test(id) && published === stated",
        "published === stated",
      ],
      ["a tenant accepts the tokens of all tenants", "SHARED.includes(tenant)", "tenant"],
      [
        "any verified address verifies the reported one",
        ".some((one) => isSameEmail(one, email))",
        ".some(Boolean)",
      ],
    ],
  },
];

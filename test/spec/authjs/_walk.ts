import type { Application } from "./_application.ts";
import type { Scenario, Step } from "./_run.ts";

/** Creates a function that returns numbers from 0 to 1, the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const TARGETS = [
  "/home",
  "/a?b=c",
  "http://localhost:3000/x",
  "https://evil.example/",
  "//evil.example",
];
const RETURN = { "x-auth-return-redirect": "1" };

/** Builds a visitor's walk: sign-ins and sign-outs of all kinds, and what happens between them. */
export function createWalk(seed: number, { length = 12, withMail = true } = {}): Scenario {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const strategy = pick(["jwt", "stored", "database"] as const);
  const app: Application = {
    strategy,
    op: {
      checks: pick([
        ["pkce"],
        ["state"],
        ["pkce", "state"],
        ["nonce", "state"],
        ["pkce", "state", "nonce"],
      ]),
    },
  };
  // The target that is remembered after a failure is a separate difference.
  const fields = () => ({ callbackUrl: pick(TARGETS) });
  const headers = () => (random() < 0.3 ? RETURN : {});
  const user = () => {
    const sub = pick(["ada", "eve", "bob"]);
    return {
      sub,
      id: sub.length + sub.charCodeAt(0),
      login: sub,
      name: sub,
      email: `${sub}@example.com`,
    };
  };
  const signIns: (() => readonly Step[])[] = [
    () => [
      ["post", `signin/${pick(["op", "github"])}`, fields(), headers()],
      ["consent", user()],
    ],
    // Credentials with stored sessions are a separate difference.
    ...(strategy === "database"
      ? []
      : [
          (): readonly Step[] => [
            [
              "post",
              "callback/credentials",
              { username: "ada", password: pick(["lovelace", "wrong"]), ...fields() },
              headers(),
            ],
          ],
        ]),
    () => [
      ["post", `signin/${pick(["op", "github"])}`, fields(), headers()],
      ["refuse", pick(["access_denied", "login_required"])],
    ],
    ...(strategy === "jwt" || !withMail
      ? []
      : [
          (): readonly Step[] => [
            [
              "post",
              "signin/mail",
              { email: `${pick(["ada", "eve"])}@example.com`, ...fields() },
              headers(),
            ],
            ["mail"],
          ],
        ]),
  ];
  const between: (() => Step)[] = [
    () => ["get", "session"],
    () => ["get", "session"],
    () => ["get", "csrf"],
    () => ["get", "signin"],
    () => ["get", "providers"],
    () => ["wait", pick([5, 3600, 86_000, 90_000, 31 * 86_400])],
    () => ["json", "session", { data: { name: pick(["x", "y"]) } }],
  ];
  const steps: Step[] = [];
  while (steps.length < length) {
    steps.push(...pick(signIns)(), ["get", "session"]);
    while (random() < 0.5) steps.push(pick(between)());
    // A sign-in of a signed-in user is a separate subject: see the scenarios of linking.
    steps.push(["post", "signout", fields(), headers()], ["get", "session"]);
  }
  return { name: `walk ${seed} (${strategy})`, app, steps };
}

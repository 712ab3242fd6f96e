// What an attacker may do to another person's address, interleaved in random orders.
import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { defineStore, type Plugin, resumeLogin } from "../../src/kernel.ts";
import { type Browser, createClock } from "../../src/testing.ts";
import { credentials } from "../_app.ts";
import { rounds } from "../_scale.ts";
import { type Claims, type ClaimsApp, createClaimsApp } from "../kernel/_claims-app.ts";
import { watchRejections } from "./_attack.ts";

watchRejections();

const OWNED = "ada@example.com";
const OWN = "mallory@evil.example";
const STEPS = 25;
/** The probability that another step runs before a call of the adapter. */
const WITHIN = 0.06;

// The generator of Numerical Recipes, so that the seed of a failure repeats it.
function createRandom(seed: number) {
  let state = seed;
  const random = () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  return { random, pick };
}

interface Game {
  readonly app: ClaimsApp;
  /** Whether a tap of `login` pauses. */
  isPausing: boolean;
}

function createGame(strategy: string): Game {
  const gate: Plugin = {
    name: "gate",
    setup(kernel) {
      kernel.hooks.login.tap("gate", (_, ctx) => (game.isPausing ? `${ctx.base}/gate` : undefined));
      const handler = {
        handler: (ctx: Parameters<typeof resumeLogin>[0]) => resumeLogin(ctx, "gate"),
      };
      kernel.addRoute({ method: "POST", path: "/gate", ...handler });
    },
  };
  const store = memoryBackend();
  const app = createClaimsApp({
    strategy,
    store,
    errors: "allowed",
    // Sessions that end must end at once.
    session: { updateAge: 0, checkAge: 0 },
    providers: [
      credentials({
        credentials: { username: {}, email: {} },
        authorize: ({ username, email }) => ({
          id: `password-${username}`,
          name: "Mallory",
          email: email ?? null,
        }),
      }),
    ],
    use: [defineStore(store), gate],
  });
  const game: Game = { app, isPausing: false };
  return game;
}

async function play(seed: number, strategy: string): Promise<void> {
  using clock = createClock();
  const { random, pick } = createRandom(seed);
  const game = createGame(strategy);
  const { app } = game;
  const openThree = () => [app.openBrowser(), app.openBrowser(), app.openBrowser()];
  const attackers = openThree();
  const owners = openThree();
  /** The users who belong to the owner, because a link or a provider has proved the address. */
  const proved = new Set<string>();
  const trace: string[] = [];

  const getClaims = (): Claims => {
    const email = pick([OWNED, OWNED, OWN, undefined]);
    const email_verified = pick(email === OWN ? [true, false, undefined] : [false, undefined]);
    return { sub: pick(["first", "second"]), ...(email && { email }), email_verified };
  };
  // The owner passes the checks of the taps.
  const prove = async (enter: (browser: Browser) => Promise<unknown>) => {
    const { isPausing } = game;
    game.isPausing = false;
    const browser = pick(owners);
    await enter(browser);
    const id = await app.getUserId(browser);
    if (id) proved.add(id);
    game.isPausing = isPausing;
  };
  const moves: Record<string, (browser: Browser) => Promise<unknown>> = {
    signIn: (browser) => app.signIn(getClaims(), browser, false, pick(["claims", "key"])),
    start: (browser) => app.startSignIn(browser, random() < 0.7),
    finish: (browser) => app.finishSignIn(getClaims(), browser),
    password: (browser) =>
      browser.signInWith("credentials", { username: pick(["a", "b"]), email: pick([OWNED, OWN]) }),
    pause: async () => void (game.isPausing = !game.isPausing),
    resume: async (browser) => browser.post("/auth/gate", { csrfToken: await browser.csrfToken() }),
    link: (browser) => app.signInByEmail(OWN, browser),
    // A page of the application on which users change their address.
    async change(browser) {
      const id = await app.getUserId(browser);
      const email = pick([OWNED, OWN]);
      if (id) await app.adapter.updateUser?.({ id, email, emailVerified: null });
    },
    prove: () => prove((browser) => app.signInByEmail(OWNED, browser)),
    attest: () =>
      prove((browser) => app.signIn({ sub: "ada", email: OWNED, email_verified: true }, browser)),
  };
  const move = async () => {
    const name = pick(Object.keys(moves));
    const at = pick([0, 1, 2]);
    trace.push(`${name} ${at}`);
    // Refused steps throw, or belong to the wrong browser.
    await moves[name]?.(attackers[at] as Browser).catch(() => {});
    clock.advance(2000);
  };

  let isWithin = false;
  app.gate = async () => {
    if (isWithin || random() > WITHIN) return;
    isWithin = true;
    trace.push("within:");
    await move();
    isWithin = false;
  };
  for (let step = 0; step < STEPS; step++) {
    await move();
    isWithin = true;
    for (const browser of attackers) {
      const id = (await app.getUserId(browser)) ?? "";
      expect(proved.has(id), `seed ${seed}: ${trace.join(", ")}`).toBe(false);
    }
    isWithin = false;
  }
}

describe.each(["database", "jwt", "hybrid"])(
  "an attacker who claims another person's address (%s)",
  (strategy) => {
    it(
      "never has a session as its owner's user, whatever happens before or during the proof",
      { timeout: 300_000 },
      async () => {
        for (let seed = 1; seed <= rounds(100); seed++) await play(seed, strategy);
      },
    );
  },
);

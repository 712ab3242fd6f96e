import { expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import type { Browser } from "../../src/testing.ts";
import { IS_QUICK } from "../_scale.ts";
import { createAccident, type Fault } from "../adapters/kills/_accident.ts";
import {
  answer,
  CHALLENGE,
  codeOf,
  createAdasApp,
  type FactorApp,
  open,
  openPaused,
  readCode,
  SETUP,
  submit,
  type UserFactor,
  wrongCode,
} from "../security/_second-factor.ts";
import { watchRejections } from "./_attack.ts";

watchRejections();

interface Scene {
  readonly app: FactorApp;
  readonly factor: UserFactor;
  /** A browser in which a sign-in waits for the second factor. */
  readonly browser: Browser;
}

/** What is sent while one operation of the store fails. Resolves to the recovery codes that the user has afterwards. */
type Step = (scene: Scene) => Promise<readonly string[]>;

// A code that was not used for the set-up.
const nextCode = (factor: UserFactor) => codeOf(factor, Date.now() + 30_000);

const STEPS: Readonly<Record<string, Step>> = {
  async "a wrong code"({ browser, factor }) {
    await answer(browser, wrongCode(factor));
    expect(await browser.session()).toBeNull();
    return factor.recoveryCodes;
  },
  async "a recovery code"({ browser, factor }) {
    await answer(browser, factor.recoveryCodes[0] ?? "");
    return factor.recoveryCodes;
  },
  async "a removal with a wrong code"({ app: { browser }, factor }) {
    const page = await open(browser, SETUP);
    await submit(browser, page, `${CHALLENGE}/remove`, { code: wrongCode(factor) });
    return factor.recoveryCodes;
  },
  async "new recovery codes"({ app: { browser }, factor }) {
    const page = await open(browser, SETUP);
    const path = `${CHALLENGE}/recovery-codes`;
    const send = () => submit(browser, page, path, { code: nextCode(factor) });
    const sent = await send();
    // The visitor goes back and presses the button again.
    const shown = sent.status === 200 ? sent : await send();
    return readCode(await shown.text()).split("\n");
  },
};

async function run(step: Step, at: number, fault: Fault): Promise<boolean> {
  const accident = createAccident();
  const store = accident.wrap(memoryBackend(), { isOver: false });
  accident.disarm();
  const { app, factor, userId } = await createAdasApp({ store, errors: "allowed" });
  const browser = await openPaused(app);
  accident.arm(at, fault);
  const codes = await step({ app, factor, browser }).catch(() => factor.recoveryCodes);
  const happened = accident.happened();
  accident.disarm();

  // An attacker who has only the password is still asked for the factor, and the user can sign in.
  expect(await app.kernel().use("secondFactor").has(userId)).toBe(true);
  const user = await openPaused(app);
  expect(await user.session()).toBeNull();
  await answer(user, codes[1] ?? "");
  expect([at, await user.session()]).not.toEqual([at, null]);
  return happened;
}

const CASES = Object.entries(STEPS).flatMap(([name, step]) =>
  (["error", "lost"] as const).map((fault) => [fault, name, step] as const),
);

it.each(CASES)(
  "a store operation that ends in %s during %s lets no one in without the second factor, and locks no user out",
  { timeout: 60_000 },
  async (fault, _, step) => {
    const stride = IS_QUICK ? 5 : 1;
    for (let at = 1; await run(step, at, fault); at += stride);
  },
);

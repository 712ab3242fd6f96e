import { PASSKEYS } from "./_passkeys.ts";
import { PROVIDERS } from "./_providers.ts";
import { RECORDS } from "./_records.ts";
import { REQUESTS } from "./_requests.ts";
import type { Target } from "./_target.ts";
import { TEXTS } from "./_texts.ts";

/** All code that parses foreign input. */
export const TARGETS: readonly Target[] = [
  ...TEXTS,
  ...REQUESTS,
  ...PROVIDERS,
  ...PASSKEYS,
  ...RECORDS,
];

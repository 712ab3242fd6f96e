import type { AuthError } from "../errors/auth-error.ts";
import type { Logger } from "../types/options.ts";

/** What an application under test has logged, in order. */
export interface TestLog {
  /** Keyhook's errors have a `type`. */
  readonly errors: (Error & Partial<Pick<AuthError, "type">>)[];
  readonly warnings: { code: string; detail: string | undefined }[];
  readonly debug: { message: string; metadata: unknown }[];
  /** Records messages: the `logger` of the configuration. */
  readonly logger: Required<Logger>;
}

/** Creates an empty log. */
export function createTestLog(): TestLog {
  const log: TestLog = {
    errors: [],
    warnings: [],
    debug: [],
    logger: {
      error: (error) => void log.errors.push(error),
      warn: (code, detail) => void log.warnings.push({ code, detail }),
      debug: (message, metadata) => void log.debug.push({ message, metadata }),
    },
  };
  return log;
}

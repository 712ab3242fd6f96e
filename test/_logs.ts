import type { Log } from "./_app.ts";

/** The logs of the running test. Errors in them that the test does not assert fail it. */
export const openLogs: Log[] = [];

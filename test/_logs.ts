import type { Log } from "./_app.ts";

/** The logs of the test that is running: what a test leaves unasserted in them fails it. */
export const openLogs: Log[] = [];

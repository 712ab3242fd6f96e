import type { AuthError } from "./auth-error.ts";

/** Receives a fault that was found at boot, so that all faults are reported together. */
export type Report = (fault: AuthError) => void;

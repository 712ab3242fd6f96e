import type { NextAuthConfig } from "next-auth";
import type { Adapter } from "next-auth/adapters";

/** The result of a package with an adapter has the type of Auth.js, also after the move. */
export const withAdapter = (adapter: Adapter): NextAuthConfig => ({ adapter, providers: [] });

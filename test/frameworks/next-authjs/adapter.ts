import type { NextAuthConfig } from "next-auth";
import type { Adapter } from "next-auth/adapters";

/** What a package with an adapter returns has the type of Auth.js, also after the move. */
export const withAdapter = (adapter: Adapter): NextAuthConfig => ({ adapter, providers: [] });

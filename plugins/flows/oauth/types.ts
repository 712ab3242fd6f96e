import type { AuthorizationServer, Client } from "oauth4webapi";
import { customFetch } from "../../../src/index.ts";
import type {
  FlowContext,
  OAuthProvider,
  OIDCProvider,
  Profile,
  TokenSet,
} from "../../../src/index.ts";

/** A provider of either flow. */
export type AnyOAuthProvider = (OAuthProvider | OIDCProvider) & { [customFetch]?: typeof fetch };

/** A request at either flow's door. */
export type OAuthContext = FlowContext<AnyOAuthProvider>;

/** What is known of an authorization server: its metadata (RFC 8414), explicit endpoints first. */
export interface Server extends Omit<AuthorizationServer, "issuer"> {
  /** Unknown for many providers of plain OAuth. */
  issuer?: string;
}

/** How we are registered with a server. */
export type Registration = Client & { client_id: string };

/** The parameters that came with a callback. */
export type Answer = URLSearchParams;

/** What a completed exchange proved. */
export interface Exchange {
  tokens: TokenSet;
  profile: Profile;
}

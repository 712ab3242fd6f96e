import type { customFetch } from "../../../src/index.ts";
import type {
  AttemptValues,
  FlowContext,
  OAuthProvider,
  OIDCProvider,
} from "../../../src/index.ts";
import type { Values } from "./fill.ts";

/** A provider of either flow. */
export type AnyOAuthProvider = (OAuthProvider | OIDCProvider) & {
  [customFetch]?: typeof fetch;
};

/** A request at either flow's door. */
export type OAuthContext = FlowContext<AnyOAuthProvider>;

/** What is known of an authorization server: its metadata (RFC 8414), explicit endpoints first. */
export interface Server {
  /** Unknown for many providers of plain OAuth. */
  issuer?: string;
  authorization_endpoint?: string;
  token_endpoint?: string;
  userinfo_endpoint?: string;
  jwks_uri?: string;
  code_challenge_methods_supported?: readonly string[];
  token_endpoint_auth_methods_supported?: readonly string[];
  id_token_signing_alg_values_supported?: readonly string[];
  authorization_response_iss_parameter_supported?: boolean;
}

/** An answer on its way to become a profile: what every step of it needs. */
export interface Exchange {
  readonly ctx: OAuthContext;
  readonly server: Server;
  /** What came with the callback. */
  readonly answer: URLSearchParams;
  /** The secrets of the attempt. */
  readonly secrets: AttemptValues;
  /** The client secret, made when it is a function. */
  readonly clientSecret?: string | undefined;
  /** Bounded, and ended with the request. */
  readonly fetch: typeof fetch;
  /** What placeholders stand for. */
  readonly values: Values;
}

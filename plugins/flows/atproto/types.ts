import type { AuthorizationServer } from "oauth4webapi";
import type { FlowContext } from "../../../src/kernel.ts";
import type { AtprotoProvider } from "./provider.ts";

/** A provider that the flow has completed with defaults. */
export interface ResolvedAtprotoProvider extends AtprotoProvider {
  scope: string;
  resolver: string | false;
  directory: string;
}

/** The context of a request to a provider of type `atproto`. */
export type AtprotoContext = FlowContext<ResolvedAtprotoProvider>;

/** An account and its server, as its DID document specifies them. */
export interface Account {
  readonly did: string;
  /** The handle, verified in both directions. */
  readonly handle: string | null;
  /** Origin of the account's personal data server. */
  readonly pds: string;
}

/** The part of an authorization server's metadata that the flow uses (RFC 8414). */
export interface Server extends AuthorizationServer {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly pushed_authorization_request_endpoint: string;
  readonly authorization_response_iss_parameter_supported: true;
}

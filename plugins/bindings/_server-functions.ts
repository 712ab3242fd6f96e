import type {
  AnyProviderId,
  Auth,
  AuthorizationParams,
  RequestSource,
  SignInOptions,
  SignOutOptions,
} from "../../src/kernel.ts";

type ServerFunction<Source, F> = F extends (
  source: RequestSource,
  ...rest: infer Rest
) => infer Result
  ? (source: Source, ...rest: Rest) => Result
  : never;

// Written out, because inference would lose that `redirect` decides the result.
interface ActionsFor<Source> {
  readonly signIn: <Redirect extends boolean = true>(
    source: Source,
    provider?: AnyProviderId,
    options?: SignInOptions<Redirect>,
    authorizationParams?: AuthorizationParams,
  ) => Promise<Redirect extends false ? string : Response>;
  readonly signOut: <Redirect extends boolean = true>(
    source: Source,
    options?: SignOutOptions<Redirect> | FormData,
  ) => Promise<Redirect extends false ? string : Response>;
}

/** Server functions of an Auth that accept a framework's own source as their first argument. */
export type ServerFunctions<Source, Name extends keyof Auth> = {
  readonly [N in Exclude<Name, keyof ActionsFor<Source>>]: ServerFunction<Source, Auth[N]>;
} & Pick<ActionsFor<Source>, Name & keyof ActionsFor<Source>>;

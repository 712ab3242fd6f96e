import type { Mutants } from "./_mutant.ts";
import { CRYPTO } from "./rows/crypto.ts";
import { EMAIL } from "./rows/email.ts";
import { HTTP } from "./rows/http.ts";
import { OAUTH } from "./rows/oauth.ts";
import { PLUGINS } from "./rows/plugins.ts";
import { REQUEST } from "./rows/request.ts";
import { SIGNIN } from "./rows/signin.ts";
import { STORAGE } from "./rows/storage.ts";
import { STORE_ADAPTER } from "./rows/store-adapter.ts";
import { WEBAUTHN } from "./rows/webauthn.ts";

/** The defects that `npm run test:mutants` tries, each a vulnerability or a loss of data. */
export const MUTANTS: readonly Mutants[] = [
  ...HTTP,
  ...REQUEST,
  ...CRYPTO,
  ...SIGNIN,
  ...STORAGE,
  ...OAUTH,
  ...EMAIL,
  ...WEBAUTHN,
  ...PLUGINS,
  ...STORE_ADAPTER,
];

import type { Mutants } from "./_mutant.ts";
import { ATPROTO } from "./rows/atproto.ts";
import { BINDINGS } from "./rows/bindings.ts";
import { CRYPTO } from "./rows/crypto.ts";
import { EMAIL } from "./rows/email.ts";
import { HTTP } from "./rows/http.ts";
import { KERNEL } from "./rows/kernel.ts";
import { MIGRATIONS } from "./rows/migrations.ts";
import { NATIVE_APPS } from "./rows/native-apps.ts";
import { OAUTH_PLUGINS } from "./rows/oauth-plugins.ts";
import { OAUTH } from "./rows/oauth.ts";
import { PAGES } from "./rows/pages.ts";
import { PLUGINS } from "./rows/plugins.ts";
import { PROVIDERS } from "./rows/providers.ts";
import { REQUEST } from "./rows/request.ts";
import { SECURITY } from "./rows/security.ts";
import { SIGNIN } from "./rows/signin.ts";
import { STORAGE } from "./rows/storage.ts";
import { STORE_ADAPTER } from "./rows/store-adapter.ts";
import { STORES } from "./rows/stores.ts";
import { WEBAUTHN } from "./rows/webauthn.ts";

/** The defects that `npm run test:mutants` applies. Each is a vulnerability or a loss of data. */
export const MUTANTS: readonly Mutants[] = [
  ...HTTP,
  ...REQUEST,
  ...CRYPTO,
  ...KERNEL,
  ...SIGNIN,
  ...STORAGE,
  ...OAUTH,
  ...ATPROTO,
  ...PROVIDERS,
  ...OAUTH_PLUGINS,
  ...EMAIL,
  ...WEBAUTHN,
  ...PLUGINS,
  ...SECURITY,
  ...NATIVE_APPS,
  ...MIGRATIONS,
  ...PAGES,
  ...STORE_ADAPTER,
  ...STORES,
  ...BINDINGS,
];

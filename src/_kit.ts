// The parts of the kernel that Keyhook's own plugins use besides its public entry point (`kernel.ts`).
export { buildAuth } from "./auth/auth.ts";
export { AUTH } from "./auth/parts.ts";
export { runFlow } from "./signin/run-flow.ts";
export { getStoredUsers } from "./signin/stored-users.ts";
export { storedUsers } from "./signin/define-adapter.ts";
export { withCanonicalEmail } from "./signin/identity.ts";
export { getUserFingerprint, isLinkRequest, isSameUser } from "./signin/link-request.ts";
export {
  canSignInWith,
  isPasskeyAccount,
  getVerifiedEmail,
  removeSignInMethod,
  listSignInMethods,
  withoutSignInMethod,
} from "./signin/sign-in-methods.ts";
export { describePublicly, isAbandoned } from "./request/failure.ts";
export { findErrorText, getErrorMessage } from "./request/error-text.ts";
export { formatDate } from "./i18n/date.ts";
export { findWord, translateLabel } from "./i18n/label.ts";
export { leadTo } from "./request/lead-to.ts";
export { type ChangeOutcome, REMOVAL_OUTCOMES, respondToChange } from "./signin/account-change.ts";
export { checkFreshness } from "./request/fresh-session.ts";
export { wantsData, wantsJson, wantsPage } from "./http/accept.ts";
export { JSON_HEADERS, NO_STORE } from "./request/context.ts";
export {
  dropCaching,
  forbidCaching,
  forbidSharedCaching,
  isCachingHeader,
  isForOneVisitor,
  keepPrivate,
  keepUnshared,
  PRIVATE_HEADERS,
  watchWrites,
} from "./http/caching.ts";
export { isSafeMethod } from "./http/method.ts";
export { getWrittenPath, isRewritten } from "./http/target.ts";
export { isHere, toSameOrigin } from "./request/redirect.ts";
export { getSignInPage } from "./request/sign-in-redirect.ts";
export { toJsonRequest } from "./request/json-request.ts";
export { DEFAULT_LOCALE, lookUpLanguage } from "./i18n/messages.ts";
export {
  isHostEntry,
  isListedOrigin,
  isLoopback,
  isPublicHost,
  isSecureUrl,
  toMailedUrl,
} from "./http/origin.ts";
export { isLocalIp } from "./http/ip.ts";
export { callAdapterDirect, listAdapterMethods } from "./storage/adapter.ts";
export { toDirect } from "./storage/direct-store.ts";
export { openEphemeralRecords } from "./storage/ephemeral-records.ts";
export { records } from "./storage/records.ts";
export { findUserByEmail } from "./storage/users.ts";
export { createPageRenderer } from "./page/renderer.ts";
export { html, toHtml, unsafeHtml } from "./page/html.ts";
export type { Html } from "./page/html.ts";
export { contrastColor } from "./page/color.ts";
export { all, andThen, isPromise, loadOnce, memoizeAsync, orElse } from "./platform/awaitable.ts";
export { createCache, createLoader } from "./platform/cache.ts";
export { createRecentLoader, type RecentLoad } from "./platform/recent-loader.ts";
export { createKeyedQueue } from "./platform/keyed-queue.ts";
export { retryOnConflict } from "./platform/retry-on-conflict.ts";
export { createSharedTurn } from "./platform/shared-turn.ts";
export { definedName } from "./platform/symbols.ts";
export { isWorker } from "./platform/worker.ts";
export {
  endOtherSessions,
  limitSessions,
  listSessionPage,
  type SessionPage,
} from "./storage/sessions.ts";
export { getBuiltin } from "./platform/builtin.ts";
export { inBatches } from "./platform/in-batches.ts";
export { isObject } from "./platform/is-object.ts";
export { merge } from "./platform/merge.ts";
export { parseUrl } from "./platform/parse-url.ts";
export { listEmailSpellings } from "./platform/email-address.ts";
export { redact } from "./platform/redact.ts";
export { findSimilar } from "./platform/spelling.ts";
export { isStorable } from "./platform/storable.ts";
export { trimEnd } from "./platform/trim-end.ts";
export { type PerformCall, wrapMethods } from "./platform/wrap-methods.ts";
export { nameType } from "./platform/type-name.ts";
export { findPeerFault } from "./kernel/peer-versions.ts";
export {
  isOnVercel,
  nameMissing,
  processEnv,
  readProviderEnv,
  nameProviderVariable,
} from "./kernel/env.ts";
export { findEnvironment } from "./kernel/environment.ts";
export { getMediaType } from "./http/body.ts";
export { parseJson } from "./http/json.ts";
export { getKnownParts } from "./http/known-response.ts";
export { raceSignal } from "./platform/timeout.ts";
export {
  createHmac,
  randomBase64url,
  randomHex,
  randomUUID,
  randomBytes,
  sha256,
  sha256Hex,
  sha256Base64url,
  uuidFrom,
  timingSafeEqual,
  encodeText,
  decodeText,
  encodeBase64url,
  decodeBase64url,
  getPlatform,
  hkdfSha256,
} from "./crypto/crypto.ts";
export { openJwe, splitJwe } from "./crypto/jwe.ts";
export {
  CHECK_MAX_AGE_S,
  getLineName,
  listCookies,
  serializeCookie,
  toPlainName,
  withoutSet,
} from "./http/cookies.ts";
export { findAddressRow } from "./signin/address.ts";
export { hasEmailSignIn, opensUsers } from "./kernel/opens-users.ts";
export { getVerifiedAt } from "./signin/verified-at.ts";
export { getBegun } from "./signin/pending-login.ts";
export { markSession, isOwnSession } from "./signin/own-session.ts";
export {
  deriveHandle,
  findHandles,
  getCheckSize,
  listHandles,
  makeRoom,
  openChecks,
} from "./signin/checks.ts";
export { openSealed, sealForOrigin, withMaxAge } from "./request/sealed-cookie.ts";
export {
  CENTURY_S,
  compareStart,
  isSealed,
  NAMESPACE_CLAIM,
  ORIGIN_CLAIM,
  VERIFIED_CLAIM,
} from "./crypto/sealed.ts";
export { checkSecrets } from "./kernel/secrets.ts";
export { getHome } from "./request/callback-url.ts";
export { linkHome } from "./request/home-link.ts";

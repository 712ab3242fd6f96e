import {
  CHECK_MAX_AGE_S,
  createHmac,
  isOwnSession,
  openChecks,
  timingSafeEqual,
} from "../../../src/_kit.ts";
import type { AuthContext, VerificationToken } from "../../../src/kernel.ts";
import { admitAll, type Limiter } from "../../security/rate-limit.ts";
import { InvalidEmailCode, refuseCodes } from "./errors.ts";
import { getSecrets, redeemStored } from "./token.ts";
import type { AnyEmailProvider, EmailContext } from "./types.ts";

const DIGITS = 8;
/** Codes that may be tried for one e-mail, in the browser that requested it, until its cookie expires. */
const PER_MAIL = 5;
/**
 * Codes that may be tried for one address across all e-mails. This bounds how much an attacker can guess (SECURITY.md
 * R19).
 */
const PER_ADDRESS = { max: 100, window: 24 * 60 * 60 };

/** The content of an `emailCheck` cookie whose e-mail has a code. */
interface CodeCheck {
  value: string;
  provider: string;
  /** Hash of the token of the link. */
  token: string;
  callbackUrl?: string | undefined;
  session?: string | undefined;
}

/** The result of redeeming a code. */
export interface RedeemedCode {
  /** The row of the token that the code represents. */
  row: VerificationToken;
  check: CodeCheck;
}

/** Returns whether a request posts the code of an e-mail instead of an address. */
export async function isCodeAttempt(ctx: EmailContext): Promise<boolean> {
  return ctx.provider.code === true && (await ctx.body()).code !== undefined;
}

/**
 * Returns the key by which rate limits count an attempt to use a code: its e-mail. Returns `undefined` for another
 * attempt. The number of codes that may be tried is not a rule of `rateLimit`, because applications change those rules.
 */
export async function identifyCode(ctx: EmailContext): Promise<string | undefined> {
  if (!(await isCodeAttempt(ctx))) return undefined;
  const [check] = await listCodeChecks(ctx, ctx.provider);
  return `code ${check?.token ?? ""}`;
}

/**
 * Derives the code of an e-mail from the hash of its token. An attacker who reads the database without the secret gets
 * neither the link nor the code.
 */
export async function deriveCode(token: string, secret: string): Promise<string> {
  const mac = await createHmac(secret)(`keyhook email code ${token}`);
  // With 48 bits, no code is noticeably more frequent than another.
  return String(Number.parseInt(mac.slice(0, 12), 16) % 10 ** DIGITS).padStart(DIGITS, "0");
}

/** Returns a code as e-mails show it, in two halves that are easier to read and to remember. */
export function spaceCode(code: string): string {
  return `${code.slice(0, DIGITS / 2)} ${code.slice(DIGITS / 2)}`;
}

/** Returns the code of a new e-mail. */
export function createCode(ctx: EmailContext, token: string): Promise<string> {
  return deriveCode(token, getSecrets(ctx)[0] ?? "");
}

// Accepts digits of any width, with the spaces that the e-mail shows or other separators.
function toDigits(given: unknown): string {
  const text = typeof given === "string" && given.length <= 64 ? given : "";
  return text.normalize("NFKC").replaceAll(/[\s\p{Cf}-]/gu, "");
}

/**
 * Lists this browser's requests for e-mails with a code of a provider. Requests of another session are left out,
 * because a sibling host may have set their cookies.
 */
export async function listCodeChecks(
  ctx: AuthContext,
  { id }: Pick<AnyEmailProvider, "id">,
): Promise<CodeCheck[]> {
  const checks = await openChecks(ctx, "emailCheck");
  const withCode = checks.filter(
    (check): check is CodeCheck => check.provider === id && typeof check.token === "string",
  );
  const isOwn = await Promise.all(withCode.map(({ session }) => isOwnSession(ctx, session)));
  return withCode.filter((_, at) => isOwn[at]);
}

/** Returns the number of seconds for which the browser keeps the data that codes are compared with. */
export function getCodeAge({ cookies }: AuthContext): number {
  return cookies.spec("emailCheck").attributes.maxAge ?? CHECK_MAX_AGE_S;
}

// Codes from before a rotation of secrets are accepted too. Comma-joined secrets, as in Auth.js, are not used for
// codes.
async function isCode(ctx: EmailContext, token: string, given: string): Promise<boolean> {
  const { provider, kernel } = ctx;
  const secrets = [provider.secret ?? kernel.config.secret].flat();
  const codes = await Promise.all(secrets.map((secret) => deriveCode(token, secret)));
  return codes.map((code) => timingSafeEqual(code, given)).includes(true);
}

/**
 * Redeems the token that the posted code represents, atomically, as its link does. Only the browser that requested the
 * e-mail can try codes.
 * @throws InvalidEmailCode when the code is wrong, used or expired, or too many were tried.
 */
export async function redeemCode(ctx: EmailContext, limiter: Limiter): Promise<RedeemedCode> {
  const given = toDigits((await ctx.body()).code);
  const checks = await listCodeChecks(ctx, ctx.provider);
  let isLocked = false;
  for (const check of checks) {
    const { value: identifier, token } = check;
    const ofMail = limiter({ max: PER_MAIL, window: getCodeAge(ctx) }, "code", token);
    const ofAddress = limiter(PER_ADDRESS, "code-day", identifier);
    const lock = await admitAll([ofMail, ofAddress]);
    const isAdmitted = lock === undefined;
    isLocked ||= !isAdmitted;
    if (lock?.isNew) {
      ctx.kernel.logger.warn(
        "email-code-attempts",
        `"${ctx.provider.id}": too many codes were tried for one e-mail, or one address. Until ` +
          `${new Date(lock.until).toISOString()} none is accepted; the link still is.`,
      );
    }
    const isRight = await isCode(ctx, token, given);
    ctx.debug?.("the code of an e-mail", { admitted: isAdmitted, right: isRight });
    if (!isAdmitted || !isRight) continue;
    const row = await redeemStored(ctx, { identifier, token });
    if (!row) continue;
    await ofAddress.refund();
    return { row, check };
  }
  if (isLocked) throw refuseCodes("Too many codes were tried for the e-mail, or the address.");
  throw new InvalidEmailCode(
    checks.length
      ? "The code is wrong, used or expired."
      : "This browser has no cookie from a request for a code, or it has expired.",
  );
}

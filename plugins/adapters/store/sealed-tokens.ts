import { CENTURY_S } from "../../../src/_kit.ts";
import type { AdapterAccount, Kernel } from "../../../src/kernel.ts";
import { mergePacked, pack, type Packed, unpack } from "./dated-json.ts";
import type { OwnedRecord } from "./records.ts";

/** The parts of the kernel that seal the tokens of accounts. */
export type TokenKernel = Pick<Kernel, "config" | "tokens" | "logger">;

/** Turns accounts into records, and back. */
export interface AccountSealer {
  /** Returns the members of the record of an account. */
  seal(account: AdapterAccount): Promise<Pick<OwnedRecord, "what" | "sealed">>;
  /** Returns the account of a record. It has no tokens if they cannot be opened. */
  open(record: OwnedRecord): Promise<AdapterAccount>;
  /** Returns the record with the members of `over` added, sealed with the first secret. */
  merge(record: OwnedRecord, over: AdapterAccount): Promise<OwnedRecord>;
}

/** The members of an account that give access to a user's data at the provider, or to the user's claims. */
const TOKEN_MEMBERS: readonly string[] = [
  "access_token",
  "refresh_token",
  "id_token",
  "oauth_token",
  "oauth_token_secret",
];
const SALT = "keyhook.provider-tokens";

// A sealed text that was copied to the record of another account or user is ignored.
const getSubject = ({ userId, provider, providerAccountId }: AdapterAccount): string =>
  JSON.stringify([userId, provider, providerAccountId]);

function split({ data, dates }: Packed): { what: Packed; tokens: Record<string, unknown> } {
  const isToken = ([name, value]: [string, unknown]) =>
    TOKEN_MEMBERS.includes(name) && value !== null;
  const members = Object.entries(data);
  const rest = members.filter((member) => !isToken(member));
  return {
    what: { data: Object.fromEntries(rest), ...(dates && { dates }) },
    tokens: Object.fromEntries(members.filter(isToken)),
  };
}

/**
 * Creates the functions that keep the tokens of accounts sealed with the application's secrets (`encryptTokens`).
 * Unsealed records are read too, and so are sealed ones after the option was turned off.
 */
export function createAccountSealer(kernel: TokenKernel, encryptTokens: boolean): AccountSealer {
  let isReported = false;

  const report = () => {
    if (isReported) return;
    isReported = true;
    kernel.logger.warn(
      "account-tokens-lost",
      "The tokens of an account cannot be read: they were sealed under a secret that is no longer configured. " +
        "The account is read without them until its user signs in with the provider again. Add that secret " +
        "after the first one in `secret`.",
    );
  };

  const openTokens = async (sealed: string, account: AdapterAccount): Promise<object> => {
    try {
      const { config, tokens } = kernel;
      const { secret } = config;
      const claims = await tokens.decode({ token: sealed, secret, salt: SALT });
      if (claims?.sub === getSubject(account)) return claims.tokens as object;
    } catch {
      // The message of the error adds nothing to the report.
    }
    report();
    return {};
  };

  const seal = async (packed: Packed): Promise<Pick<OwnedRecord, "what" | "sealed">> => {
    const { config, tokens: codec } = kernel;
    // Tokens that are sealed with a random secret would be lost when the process ends.
    if (!encryptTokens || config.randomSecret) return { what: packed };
    const { what, tokens } = split(packed);
    if (!Object.keys(tokens).length) return { what };
    const token = { sub: getSubject(unpack<AdapterAccount>(packed)), tokens };
    const { secret } = config;
    return { what, sealed: await codec.encode({ token, secret, salt: SALT, maxAge: CENTURY_S }) };
  };

  const open = async ({ what, sealed }: OwnedRecord): Promise<AdapterAccount> => {
    const account = unpack<AdapterAccount>(what);
    if (sealed === undefined) return account;
    return { ...account, ...(await openTokens(sealed, account)) };
  };

  return {
    seal: (account) => seal(pack(account)),
    open,
    async merge(record, over) {
      const { sealed: _, ...rest } = record;
      return { ...rest, ...(await seal(mergePacked(pack(await open(record)), over))) };
    },
  };
}

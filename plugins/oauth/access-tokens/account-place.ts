import { type Adapter, type AdapterAccount, callAdapter } from "../../../src/kernel.ts";
import { readSubject } from "../_id-token.ts";
import { pickTokens } from "./kept-tokens.ts";
import type { KeptAccount, TokenPlace } from "./types.ts";

/** Returns whether an adapter can keep the tokens with the accounts. */
export function canKeepTokens(adapter: Adapter | undefined): adapter is Adapter {
  return Boolean(adapter?.listAccountsByUserId && adapter.updateAccount);
}

// The type does not allow `null`, but the rows of every adapter do.
const NONE = null as never;

function toRow({ tokens, subject: _, ...account }: KeptAccount): AdapterAccount {
  return { ...account, ...tokens };
}

/** Creates the place for tokens that are kept with the accounts of an adapter. */
export function createAccountPlace(adapter: Adapter): TokenPlace {
  const list: TokenPlace["list"] = async (_, userId, { id: provider }) => {
    const rows = await callAdapter(adapter, "listAccountsByUserId", userId);
    return rows
      .filter((row) => row.provider === provider)
      .map((row) => {
        const { providerAccountId, type, id_token: idToken } = row;
        const subject = readSubject(idToken);
        return {
          ...{ userId, provider, providerAccountId, type, tokens: pickTokens(row) },
          ...(subject !== undefined && { subject }),
        };
      });
  };
  return {
    isPerRequest: false,
    list,
    async write(_, account) {
      // An adapter keeps fields that it is not given. The expiry of the old access token must not apply to a new one
      // without an expiry.
      const end = account.tokens.expires_at ?? NONE;
      await callAdapter(adapter, "updateAccount", { ...toRow(account), expires_at: end });
    },
    async forget(_, account, what) {
      await callAdapter(adapter, "updateAccount", {
        ...toRow(account),
        refresh_token: NONE,
        ...(what === "all" && { access_token: NONE }),
      });
    },
  };
}

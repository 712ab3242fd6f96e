import type { Adapter, AdapterFactory, AdapterPayload } from "oidc-provider";

interface Kept {
  payload: AdapterPayload;
  ends: number;
}

/** Creates the in-memory store of Playground ID's grants, codes and tokens. */
export function createIdentityStore(): AdapterFactory {
  const kept = new Map<string, Kept>();

  const find = (matches: (payload: AdapterPayload) => boolean) => {
    for (const { payload, ends } of kept.values()) {
      if (ends > Date.now() && matches(payload)) return payload;
    }
    return undefined;
  };

  return (model): Adapter => {
    const key = (id: string) => `${model} ${id}`;
    return {
      async upsert(id, payload, expiresIn = Infinity) {
        for (const [old, { ends }] of kept) if (ends <= Date.now()) kept.delete(old);
        kept.set(key(id), { payload, ends: Date.now() + expiresIn * 1000 });
      },
      async find(id) {
        const found = kept.get(key(id));
        return found && found.ends > Date.now() ? found.payload : undefined;
      },
      findByUid: async (uid) => find((payload) => payload.uid === uid && payload.kind === model),
      findByUserCode: async (code) => find((payload) => payload.userCode === code),
      async consume(id) {
        const found = kept.get(key(id));
        if (found) found.payload.consumed = Math.floor(Date.now() / 1000);
      },
      async destroy(id) {
        kept.delete(key(id));
      },
      async revokeByGrantId(grantId) {
        for (const [name, { payload }] of kept) if (payload.grantId === grantId) kept.delete(name);
      },
    };
  };
}

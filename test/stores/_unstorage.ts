import * as one from "unstorage";
import * as two from "unstorage-2";
import db0Two from "unstorage-2/drivers/db0";
import denoKvTwo from "unstorage-2/drivers/deno-kv-node";
import fsTwo from "unstorage-2/drivers/fs";
import fsLiteTwo from "unstorage-2/drivers/fs-lite";
import lruTwo from "unstorage-2/drivers/lru-cache";
import memoryTwo from "unstorage-2/drivers/memory";
import redisTwo from "unstorage-2/drivers/redis";
import upstashTwo from "unstorage-2/drivers/upstash";
import db0One from "unstorage/drivers/db0";
import denoKvOne from "unstorage/drivers/deno-kv-node";
import fsOne from "unstorage/drivers/fs";
import fsLiteOne from "unstorage/drivers/fs-lite";
import lruOne from "unstorage/drivers/lru-cache";
import memoryOne from "unstorage/drivers/memory";
import redisOne from "unstorage/drivers/redis";
import upstashOne from "unstorage/drivers/upstash";

/** The exports of unstorage that both major versions have, typed as in the first. */
export interface Major {
  createStorage: typeof one.createStorage;
  prefixStorage: typeof one.prefixStorage;
  db0: typeof db0One;
  denoKv: typeof denoKvOne;
  fs: typeof fsOne;
  fsLite: typeof fsLiteOne;
  lru: typeof lruOne;
  memory: typeof memoryOne;
  redis: typeof redisOne;
  upstash: typeof upstashOne;
}

/** The supported major versions. */
export const MAJORS: Record<string, Major> = {
  "unstorage 1.17": {
    ...{ createStorage: one.createStorage, prefixStorage: one.prefixStorage },
    ...{ db0: db0One, denoKv: denoKvOne, fs: fsOne, fsLite: fsLiteOne, lru: lruOne },
    ...{ memory: memoryOne, redis: redisOne, upstash: upstashOne },
  },
  "unstorage 2": {
    ...{ createStorage: two.createStorage, prefixStorage: two.prefixStorage },
    ...{ db0: db0Two, denoKv: denoKvTwo, fs: fsTwo, fsLite: fsLiteTwo, lru: lruTwo },
    ...{ memory: memoryTwo, redis: redisTwo, upstash: upstashTwo },
  } as unknown as Major,
};

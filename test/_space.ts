import { memoryBackend } from "../plugins/stores/memory.ts";
import { createTokens } from "../src/crypto/token.ts";
import { createSpaces, type FindSpace } from "../src/storage/space.ts";

/** Finds the space of applications with one secret, without reading the keyring of their store. */
export function spaceOf(secret: string): FindSpace {
  const { find } = createSpaces({
    ...{ secret: [secret], randomSecret: false, production: false },
    ...{ tokens: createTokens(), logger: console },
  });
  const space = find(memoryBackend());
  return () => space;
}

import { randomHex } from "../../crypto/crypto.ts";
import type { VerificationToken } from "../../types/adapter.ts";
import { ODD_TEXTS } from "../odd-texts.ts";
import { address, inHours, toTime } from "./rows.ts";
import type { AdapterSuite } from "./suite.ts";

/** Tests that one-time tokens work once. */
export function testTokens({ describe, test, expect, race, each, rounds }: AdapterSuite): void {
  describe("Adapter: verification tokens", () => {
    const newToken = (): VerificationToken => ({
      identifier: address(),
      token: randomHex(32),
      expires: inHours(1),
    });

    test(
      "useVerificationToken returns a token once, and only with its identifier",
      ["createVerificationToken", "useVerificationToken"],
      async (adapter) => {
        const given = newToken();
        const { identifier, token, expires } = given;
        await adapter.createVerificationToken(given);
        expect((await adapter.useVerificationToken({ identifier, token: "x" })) ?? null).toBe(null);
        const strange = { identifier: address(), token };
        expect((await adapter.useVerificationToken(strange)) ?? null).toBe(null);
        const used = await adapter.useVerificationToken({ identifier, token });
        expect([used?.identifier, used?.token, toTime(used?.expires)]).toEqual([
          identifier,
          token,
          expires.getTime(),
        ]);
        expect((await adapter.useVerificationToken({ identifier, token })) ?? null).toBe(null);
      },
    );

    test(
      "useVerificationToken is atomic: of N concurrent callers exactly one gets the token",
      ["one-time", "useVerificationToken", "createVerificationToken"],
      async (adapter) => {
        for (let round = 0; round < rounds; round++) {
          const { identifier, token, expires } = newToken();
          await adapter.createVerificationToken({ identifier, token, expires });
          expect(
            await race(
              async () => (await adapter.useVerificationToken({ identifier, token })) ?? null,
            ),
          ).toBe(1);
        }
      },
    );

    test(
      "useVerificationToken keeps identifiers and tokens with odd characters apart",
      ["odd-text", "useVerificationToken", "createVerificationToken"],
      async (adapter) => {
        const start = randomHex(4);
        const keys = [...new Set(ODD_TEXTS)].flatMap((text) => [
          { identifier: `${start}${text}`, token: start },
          { identifier: start, token: `${start}${text}` },
          { identifier: `${text}${start}`, token: text },
        ]);
        const different = [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
        await each(different, async (key) =>
          adapter.createVerificationToken({ ...key, expires: inHours(1) }),
        );
        await each(different, async (key) => {
          const { identifier, token } = (await adapter.useVerificationToken(key)) ?? {};
          expect({ identifier, token }).toEqual(key);
          expect((await adapter.useVerificationToken(key)) ?? null).toBe(null);
        });
      },
    );

    test(
      "createVerificationToken keeps several tokens of one identifier",
      ["createVerificationToken", "useVerificationToken"],
      async (adapter) => {
        const one = newToken();
        const other = { ...newToken(), identifier: one.identifier };
        await adapter.createVerificationToken(one);
        await adapter.createVerificationToken(other);
        for (const { identifier, token } of [one, other]) {
          expect((await adapter.useVerificationToken({ identifier, token }))?.token).toBe(token);
        }
      },
    );
  });
}

import { describe, expectTypeOf, it } from "vitest";
import type { Adapter } from "../../src/types.ts";

// As Auth.js declares it, with its `Awaitable`: packages with adapters return this type.
type AwaitableOfAuthJs<T> = T | PromiseLike<T>;

interface UserOfAuthJs {
  id: string;
  name?: string | null;
  email: string;
  emailVerified: Date | null;
  image?: string | null;
}

interface SessionOfAuthJs {
  sessionToken: string;
  userId: string;
  expires: Date;
}

interface AdapterOfAuthJs {
  createUser?(user: UserOfAuthJs): AwaitableOfAuthJs<UserOfAuthJs>;
  getUserByEmail?(email: string): AwaitableOfAuthJs<UserOfAuthJs | null>;
  deleteUser?(userId: string): Promise<void> | AwaitableOfAuthJs<UserOfAuthJs | null | undefined>;
  createSession?(session: SessionOfAuthJs): AwaitableOfAuthJs<SessionOfAuthJs>;
  getSessionAndUser?(
    sessionToken: string,
  ): AwaitableOfAuthJs<{ session: SessionOfAuthJs; user: UserOfAuthJs } | null>;
}

describe("types of adapters", () => {
  it("an adapter with the type of Auth.js is accepted", () => {
    expectTypeOf<AdapterOfAuthJs>().toExtend<Adapter>();
  });
});

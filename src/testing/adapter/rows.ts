import { randomHex, randomUUID } from "../../crypto/crypto.ts";
import type { AdapterAccount, AdapterAuthenticator, AdapterUser } from "../../types/adapter.ts";

const HOUR_MS = 3_600_000;

// Rounded to seconds, the coarsest precision of common databases.
export const inHours = (hours: number): Date =>
  new Date(Math.floor(Date.now() / 1000) * 1000 + hours * HOUR_MS);

export const address = (): string => `${randomHex(8)}@example.com`;

export const newUser = (more: Partial<AdapterUser> = {}): AdapterUser => ({
  id: randomUUID(),
  email: address(),
  name: "Ada Lovelace",
  image: "https://example.com/ada.png",
  emailVerified: null,
  ...more,
});

export const newAccount = (userId: string, more: Partial<AdapterAccount> = {}): AdapterAccount => ({
  userId,
  provider: "github",
  providerAccountId: randomUUID(),
  type: "oauth",
  access_token: "access",
  refresh_token: "refresh",
  expires_at: 1_900_000_000,
  token_type: "bearer",
  scope: "read",
  ...more,
});

export const newPasskey = (userId: string): AdapterAuthenticator => ({
  credentialID: btoa(randomHex(16)),
  userId,
  providerAccountId: randomUUID(),
  credentialPublicKey: btoa("key"),
  counter: 0,
  credentialDeviceType: "multiDevice",
  credentialBackedUp: true,
  transports: "internal,hybrid",
});

export const toTime = (date: unknown): unknown => (date instanceof Date ? date.getTime() : date);

// The user fields that every adapter keeps. Ids may be numbers.
export const shown = (user: AdapterUser | null | undefined): object | null | undefined =>
  user && {
    id: String(user.id),
    email: user.email,
    name: user.name ?? null,
    image: user.image ?? null,
    emailVerified: toTime(user.emailVerified) ?? null,
  };

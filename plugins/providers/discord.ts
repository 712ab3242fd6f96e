import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { isSameEmail, oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Discord's `GET /users/@me`. */
export interface DiscordProfile {
  id: string;
  username: string;
  /** The display name. */
  global_name: string | null;
  /** `0`, or four digits for a legacy user name. */
  discriminator: string;
  /** Hash of the picture. It starts with `a_` if the picture is animated. */
  avatar: string | null;
  email?: string | null;
  verified?: boolean;
  locale?: string;
  /** URL of the picture, which is not part of Discord's response. */
  image_url?: string;
}

/**
 * Adds sign-in with Discord. The callback is `/auth/callback/discord`. Reads `AUTH_DISCORD_ID` and
 * `AUTH_DISCORD_SECRET`.
 */
export const discordPlugin: ProviderFactory<OAuthProvider<DiscordProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "discord",
    name: "Discord",
    type: "oauth",
    style: { brandColor: "#5865F2" },
    authorization: {
      url: "https://discord.com/oauth2/authorize",
      params: { scope: "identify email" },
    },
    token: { url: "https://discord.com/api/oauth2/token" },
    userinfo: { url: "https://discord.com/api/users/@me" },
    derive: (profile) => ({ image_url: getAvatarUrl(profile) }),
    profile: (profile) => ({
      id: profile.id,
      name: profile.global_name ?? profile.username,
      email: profile.email ?? null,
      image: profile.image_url ?? null,
    }),
    emailVerified: (profile, email) =>
      isSameEmail(profile.email, email) ? profile.verified : undefined,
  }),
);

function getAvatarUrl({ id, avatar, discriminator }: DiscordProfile): string {
  const cdn = "https://cdn.discordapp.com";
  if (avatar) return `${cdn}/avatars/${id}/${avatar}.${avatar.startsWith("a_") ? "gif" : "png"}`;
  const isOld = Number(discriminator) > 0;
  const index = isOld ? Number(discriminator) % 5 : Number((BigInt(id) >> 22n) % 6n);
  return `${cdn}/embed/avatars/${index}.png`;
}

export default discordPlugin;

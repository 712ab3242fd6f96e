import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { isSameEmail, oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** An address of Eventbrite's `GET /v3/users/me/`. */
export interface EventbriteEmail {
  email: string;
  primary: boolean;
  verified?: boolean;
}

/** The response of Eventbrite's `GET /v3/users/me/`. */
export interface EventbriteProfile {
  id: string;
  name?: string;
  first_name?: string;
  last_name?: string;
  emails?: EventbriteEmail[];
  image_id?: string | null;
}

/**
 * Adds sign-in with Eventbrite. The callback is `/auth/callback/eventbrite`. Reads `AUTH_EVENTBRITE_ID` and
 * `AUTH_EVENTBRITE_SECRET`. The address is the primary one.
 *
 * @see https://www.eventbrite.com/platform/api#/introduction/authentication
 */
export const eventbritePlugin: ProviderFactory<OAuthProvider<EventbriteProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "eventbrite",
    name: "Eventbrite",
    type: "oauth",
    style: { brandColor: "#f05537" },
    authorization: {
      url: "https://www.eventbrite.com/oauth/authorize",
      params: { scope: "user.profile" },
    },
    token: { url: "https://www.eventbrite.com/oauth/token" },
    userinfo: { url: "https://www.eventbriteapi.com/v3/users/me/" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ id, name, emails, image_id: image }) => ({
      id,
      name: name ?? null,
      email: findPrimary(emails)?.email ?? null,
      image: image
        ? `https://img.evbuc.com/https%3A%2F%2Fcdn.evbuc.com%2Fimages%2F${image}%2F1%2Foriginal.jpg`
        : null,
    }),
    emailVerified: ({ emails }, email) =>
      emails?.find((one) => isSameEmail(one.email, email))?.verified,
  }),
);

function findPrimary(emails: readonly EventbriteEmail[] = []): EventbriteEmail | undefined {
  return emails.find((one) => one.primary);
}

export default eventbritePlugin;

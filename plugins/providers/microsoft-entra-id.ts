import { defineProvider } from "../../src/index.ts";
import type { OIDCProvider } from "../../src/index.ts";

/** The claims of Entra's ID token, with the photo from Microsoft Graph. */
export interface MicrosoftEntraIdProfile {
  /** One person's id for this application only. */
  sub: string;
  /** One person's id throughout the tenant; needs `tid` beside it to be unique. */
  oid?: string;
  /** The tenant. */
  tid: string;
  name?: string;
  /** Whatever the tenant's administrator wrote there. */
  email?: string;
  email_verified?: boolean;
  preferred_username?: string;
  verified_primary_email?: string[];
  verified_secondary_email?: string[];
  /** As a `data:` URL. */
  photo?: string;
}

/** What Entra ID can be told beside the fields every provider has. */
export interface MicrosoftEntraIdOptions {
  /** A tenant's id, or `common` (default), `organizations`, `consumers`; `issuer` goes before it. */
  tenantId?: string;
  /** Side of the photo in pixels. Default 48. */
  profilePhotoSize?: 48 | 64 | 96 | 120 | 240 | 360 | 432 | 504 | 648;
}

/**
 * Sign-in with Microsoft. Callback `/auth/callback/microsoft-entra-id`; reads
 * `AUTH_MICROSOFT_ENTRA_ID_ID`, `_SECRET` and `_ISSUER`. The account's id is `sub`, which another
 * client id changes: to move between applications, map `profile` to `tid` and `oid` instead.
 */
export const microsoftEntraIdPlugin = defineProvider<
  OIDCProvider<MicrosoftEntraIdProfile>,
  MicrosoftEntraIdOptions
>(
  ({
    tenantId = "common",
    issuer = `https://login.microsoftonline.com/${tenantId}/v2.0`,
    profilePhotoSize: size = 48,
  }) => ({
    id: "microsoft-entra-id",
    name: "Microsoft Entra ID",
    type: "oidc",
    style: { brandColor: "#0072c6" },
    issuer,
    // A tenant that is not named by its id is discovered as `{tenantid}`, or under its id.
    discovery: (metadata) => ({ ...metadata, issuer }),
    issuerFromIdToken: issuerOf(issuer),
    // `User.Read` is for the photo.
    authorization: { params: { scope: "openid profile email User.Read" } },
    enrich: [
      {
        into: "photo",
        url: `https://graph.microsoft.com/v1.0/me/photos/${size}x${size}/$value`,
        as: "data-url",
      },
    ],
    profile: ({ sub, name = null, email = null, photo = null }) => ({
      id: sub,
      name,
      email,
      image: photo,
    }),
    emailVerified: (profile) =>
      profile.email !== undefined &&
      (profile.email_verified === true ||
        [profile.verified_primary_email, profile.verified_secondary_email]
          .flat()
          .includes(profile.email)),
  }),
);

/** What a token's issuer must be: the tenant given by its id, else the tenant the token names. */
function issuerOf(issuer: string): string {
  return issuer.replace(/\/([^/]+)\/v2\.0\/?$/, (_, tenant: string) =>
    /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(tenant)
      ? `/${tenant.toLowerCase()}/v2.0`
      : "/{tid}/v2.0",
  );
}

export default microsoftEntraIdPlugin;

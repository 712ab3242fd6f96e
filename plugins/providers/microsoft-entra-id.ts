import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of Entra's ID token, and the photo from Microsoft Graph. */
export interface MicrosoftEntraIdProfile {
  /** The user's id, unique for this application only. */
  sub: string;
  /** The user's id in the tenant; unique only together with `tid`. */
  oid?: string;
  /** The tenant's id. */
  tid: string;
  name?: string;
  /** Any value that the tenant's administrator set. */
  email?: string;
  email_verified?: boolean;
  preferred_username?: string;
  verified_primary_email?: string[];
  verified_secondary_email?: string[];
  /** The photo as a `data:` URL. */
  photo?: string;
}

/** Options of `microsoftEntraIdPlugin`, in addition to those of every provider. */
export interface MicrosoftEntraIdOptions {
  /**
   * A tenant's id, or `common` (default), `organizations` or `consumers`; ignored if `issuer` is
   * set.
   */
  tenantId?: string;
  /** Width and height of the photo in pixels. Default 48. */
  profilePhotoSize?: 48 | 64 | 96 | 120 | 240 | 360 | 432 | 504 | 648;
}

/**
 * Adds sign-in with Microsoft Entra ID. The callback is `/auth/callback/microsoft-entra-id`. Reads
 * `AUTH_MICROSOFT_ENTRA_ID_ID`, `AUTH_MICROSOFT_ENTRA_ID_SECRET` and
 * `AUTH_MICROSOFT_ENTRA_ID_ISSUER`. The account's id is `sub`, which differs for every client id:
 * to move to another application, build the id of `tid` and `oid` in `profile`.
 */
export const microsoftEntraIdPlugin: ProviderFactory<
  OIDCProvider<MicrosoftEntraIdProfile>,
  MicrosoftEntraIdOptions
> = defineProvider(
  oidcFlow,
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
    // For a tenant that is not configured by its id, discovery returns an issuer with `{tenantid}` or
    // with the tenant's id, not the configured one.
    discovery: (metadata) => ({ ...metadata, issuer }),
    issuerFromIdToken: buildIssuer(issuer),
    // `User.Read` is needed for the photo.
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

/**
 * Builds the issuer that an ID token must have: the configured tenant if it is an id, else that of
 * the token's claim `tid`.
 */
function buildIssuer(issuer: string): string {
  return issuer.replace(/\/([^/]+)\/v2\.0\/?$/, (_, tenant: string) =>
    /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(tenant)
      ? `/${tenant.toLowerCase()}/v2.0`
      : "/{tid}/v2.0",
  );
}

export default microsoftEntraIdPlugin;

import { AuthError } from "../../src/errors.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { isSameEmail, oidcFlow, readDataUrl } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of Entra's ID token, and the photo from Microsoft Graph. */
export interface MicrosoftEntraIDProfile {
  /** The user's id, unique only for this application. */
  sub: string;
  /** The user's id in the tenant. It is unique only together with `tid`. */
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
export interface MicrosoftEntraIDOptions {
  /**
   * A tenant's id or domain name, or `common` (default), `organizations` or `consumers`. Ignored if `issuer` is set.
   */
  tenantId?: string;
  /** Width and height of the photo in pixels. Default 48. */
  profilePhotoSize?: 48 | 64 | 96 | 120 | 240 | 360 | 432 | 504 | 648;
}

/**
 * Adds sign-in with Microsoft Entra ID. The callback is `/auth/callback/microsoft-entra-id`. Reads
 * `AUTH_MICROSOFT_ENTRA_ID_ID`, `AUTH_MICROSOFT_ENTRA_ID_SECRET` and `AUTH_MICROSOFT_ENTRA_ID_ISSUER`. The account's id
 * is `sub`, which differs for every client id. To move to another application, build the id from `tid` and `oid` in
 * `profile`.
 */
export const microsoftEntraIdPlugin: ProviderFactory<
  OIDCProvider<MicrosoftEntraIDProfile>,
  MicrosoftEntraIDOptions
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
    settings: {
      tenantId: { example: "common" },
      profilePhotoSize: { example: 48, oneOf: [48, 64, 96, 120, 240, 360, 432, 504, 648] },
    },
    issuer,
    // For a tenant that is not configured by its id, discovery returns an issuer with `{tenantid}` or with the tenant's
    // id instead of the configured issuer.
    discovery: (metadata) => ({ ...metadata, issuer, [PUBLISHED]: metadata.issuer }),
    issuerFromIdToken: buildIssuer(issuer),
    // `User.Read` is needed for the photo.
    authorization: { params: { scope: "openid profile email User.Read" } },
    enrich: [
      {
        into: "photo",
        url: `https://graph.microsoft.com/v1.0/me/photos/${size}x${size}/$value`,
        read: readDataUrl,
      },
    ],
    profile: ({ sub, name = null, email = null, photo = null }) => ({
      id: sub,
      name,
      email,
      image: photo,
    }),
    emailVerified: (profile, email) =>
      (profile.email_verified === true && isSameEmail(profile.email, email)) ||
      [profile.verified_primary_email, profile.verified_secondary_email]
        .flat()
        .some((one) => isSameEmail(one, email)),
  }),
);

/** Member of the metadata with the issuer that Microsoft has published. */
const PUBLISHED = "issuer_published";
const TENANT = /\/([^/]+)\/v2\.0\/?$/;
const TENANT_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** The names that represent several tenants. */
const SHARED = ["common", "organizations"];

// The metadata of a tenant contains its id, whatever name was requested. Without the id, the tokens of every tenant
// would be accepted, because Microsoft signs all of them with the same keys.
function findIssuer(issuer: string, published: unknown): string {
  const id = (typeof published === "string" && TENANT.exec(published)?.[1]) || "";
  const stated = issuer.replace(TENANT, `/${id}/v2.0`);
  if (TENANT_ID.test(id) && published === stated) return stated;
  throw new AuthError(
    `The metadata of ${issuer} does not contain the tenant's id, so its tokens cannot be told from those of other tenants. ` +
      "In the issuer or `tenantId`, use the tenant's id instead of its name.",
  );
}

/**
 * Builds the issuer that an ID token must have: the issuer of the configured tenant, or of the token's claim `tid` for
 * a name that represents several tenants.
 */
function buildIssuer(issuer: string): NonNullable<OIDCProvider["issuerFromIdToken"]> {
  const [, tenant] = TENANT.exec(issuer) ?? [];
  if (tenant === undefined) return issuer;
  if (TENANT_ID.test(tenant)) return issuer.replace(TENANT, `/${tenant.toLowerCase()}/v2.0`);
  if (SHARED.includes(tenant)) return issuer.replace(TENANT, "/{tid}/v2.0");
  return (metadata) => findIssuer(issuer, metadata[PUBLISHED]);
}

export default microsoftEntraIdPlugin;

import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { isInstalled, room } from "./_libraries.ts";

const root = new URL("../../../", import.meta.url);

/** Names without a counterpart: parts of profiles, and names that only the library itself or a framework imports. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  "types.d.ts": [
    ...[
      "AuthAction",
      "Authenticator",
      "Awaited",
      "ErrorPageParam",
      "LoggerInstance",
      "ResponseInternal",
    ],
    ...["SemverString", "SignInPageErrorParam", "WarningCode", "WebAuthnOptionsResponseBody"],
  ],
  "providers/42-school.d.ts": [
    ...[
      "Achievement",
      "Campus",
      "CampusUser",
      "CursusUser",
      "ExpertisesUser",
      "Image",
      "LanguagesUser",
    ],
    ...["ProjectUser", "TitlesUser", "UserData"],
  ],
  "providers/apple.d.ts": ["AppleNonConformUser"],
  "providers/azure-devops.d.ts": ["AzureDevOpsProfile"],
  "providers/battlenet.d.ts": ["BattleNetIssuer"],
  "providers/kakao.d.ts": ["AgeRange", "Birthday", "DateTime", "Gender"],
  "providers/loops.d.ts": ["LoopsConfig", "LoopsUserConfig"],
  "providers/netsuite.d.ts": ["OAuthNetSuiteOptions"],
  "providers/notion.d.ts": ["Owner", "Person", "User"],
  "providers/osu.d.ts": ["OsuUserCompact"],
  "providers/passage.d.ts": ["PassageProfile"],
  "providers/spotify.d.ts": ["SpotifyImage"],
  "providers/trakt.d.ts": ["TraktUser"],
  "providers/wikimedia.d.ts": ["WikimediaGrant", "WikimediaGroup", "WikimediaRight"],
};

/** Names of the providers' shared types, which `keyhook/providers` exports. */
const SHARED_LEFT_OUT = [
  ...[
    "AccountCallback",
    "AppProvider",
    "AppProviders",
    "AuthorizationEndpointHandler",
    "BuiltInProviders",
  ],
  ...["CommonProviderOptions", "CredentialsProviderId", "DEFAULT_SIMPLEWEBAUTHN_BROWSER_VERSION"],
  ...[
    "DEFAULT_WEBAUTHN_TIMEOUT",
    "EmailProviderId",
    "EmailProviderType",
    "GetUserInfo",
    "OAuthChecks",
  ],
  ...[
    "OAuthEndpointType",
    "OAuthProviderButtonStyles",
    "OAuthProviderId",
    "OIDCConfigInternal",
    "ProfileCallback",
  ],
  ...[
    "ProviderId",
    "RelayingParty",
    "TokenEndpointHandler",
    "UserinfoEndpointHandler",
    "WebAuthnProviderType",
  ],
];

/** Ids of modules with another name. */
const RENAMED: Readonly<Record<string, string>> = { "ory-hydra": "hydra" };

const toPath = (from: URL, path: string): string => fileURLToPath(new URL(path, from));

/** Returns a function that lists what a file exports. */
function readExports(files: readonly string[]): (file: string) => string[] {
  const program = ts.createProgram([...files], {
    ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    ...{ target: ts.ScriptTarget.ESNext, allowImportingTsExtensions: true, noEmit: true },
    ...{ skipLibCheck: true, types: [] },
  });
  const checker = program.getTypeChecker();
  return (file) => {
    const source = program.getSourceFile(file);
    const symbol = source && checker.getSymbolAtLocation(source);
    return symbol ? checker.getExportsOfModule(symbol).map(({ name }) => name) : [];
  };
}

describe.skipIf(!isInstalled)("the types of @auth/core have the same names here", () => {
  const providers = isInstalled
    ? readdirSync(new URL("providers/", room)).filter(
        (file) => file.endsWith(".d.ts") && !["index.d.ts", "provider-types.d.ts"].includes(file),
      )
    : [];
  const ours = (file: string): string => {
    const id = file.replace(/\.d\.ts$/, "");
    return toPath(root, `plugins/providers/${RENAMED[id] ?? id}.ts`);
  };
  const entries = [
    "presets/providers.ts",
    "src/types.ts",
    "src/adapters.ts",
    "src/errors.ts",
    "src/jwt.ts",
  ];
  const theirs = ["types.d.ts", "adapters.d.ts", "errors.d.ts", "jwt.d.ts"];
  let list: (file: string) => string[];
  let shared: string[];

  beforeAll(() => {
    list = readExports([
      ...entries.map((path) => toPath(root, path)),
      ...theirs.map((path) => toPath(room, path)),
      ...providers.map((file) => toPath(room, `providers/${file}`)),
      ...providers.map(ours).filter((file) => existsSync(file)),
    ]);
    shared = [...list(toPath(root, "presets/providers.ts")), ...SHARED_LEFT_OUT];
  });

  it.each(theirs)("the names in the module %s", (file) => {
    const found = new Set(list(toPath(root, `src/${file.replace(".d.ts", ".ts")}`)));
    const missing = list(toPath(room, file)).filter((name) => !found.has(name));
    expect(missing.sort()).toEqual(LEFT_OUT[file] ?? []);
  });

  it.each(providers)("the names in the module providers/%s", (file) => {
    const found = new Set([...shared, ...list(ours(file))]);
    const missing = list(toPath(room, `providers/${file}`)).filter((name) => !found.has(name));
    expect(missing.sort()).toEqual(LEFT_OUT[`providers/${file}`] ?? []);
  });
});

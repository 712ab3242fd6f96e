import { describe, expect, it } from "vitest";
import { azureAdPlugin } from "../../plugins/providers/azure-ad.ts";
import { azureDevopsPlugin } from "../../plugins/providers/azure-devops.ts";
import { mediumPlugin } from "../../plugins/providers/medium.ts";
import { microsoftEntraIdPlugin } from "../../plugins/providers/microsoft-entra-id.ts";
import { netsuitePlugin } from "../../plugins/providers/netsuite.ts";
import { passagePlugin } from "../../plugins/providers/passage.ts";
import { zohoPlugin } from "../../plugins/providers/zoho.ts";
import { createAuth } from "../../presets/index.ts";
import type { Plugin } from "../../src/kernel.ts";
import { make, resolve } from "./_provider.ts";

const client = { clientId: "id", clientSecret: "secret" };

/** Boots an application with a provider, and returns its warnings. */
function boot(plugin: Plugin): string[] {
  const warnings: string[] = [];
  const logger = { warn: (...all: unknown[]) => void warnings.push(all.join(" ")), error() {} };
  const env = { AUTH_SECRET: "a secret for the tests, long enough", NODE_ENV: "test" };
  createAuth({ env, logger }).use(plugin).inspect();
  return warnings;
}

describe("services that have ended or have a successor", () => {
  it.each([
    [azureDevopsPlugin(client), /"azure-devops" cannot be used: .*microsoftEntraIdPlugin/],
    [passagePlugin(client), /"passage" cannot be used: .*passkeyPlugin/],
  ])("boot refuses the provider of a service that has ended: %#", (plugin, message) => {
    expect(() => boot(plugin)).toThrow(message);
  });

  it("boot warns about a deprecated service", () => {
    expect(boot(mediumPlugin(client))).toContainEqual(
      expect.stringContaining('The provider "medium": Medium accepts no new integrations'),
    );
  });

  it("azure-ad: boot names Microsoft Entra ID, whose former id this is", () => {
    const former = resolve(azureAdPlugin({ tenantId: "acme.example" }), {
      AUTH_AZURE_AD_ID: "env-id",
    });
    const { deprecated, ...rest } = former;
    const successor = resolve(microsoftEntraIdPlugin({ tenantId: "acme.example" }));
    expect(JSON.parse(JSON.stringify(rest))).toEqual(
      JSON.parse(
        JSON.stringify({
          ...successor,
          id: "azure-ad",
          name: "Azure Active Directory",
          clientId: "env-id",
        }),
      ),
    );
    expect(deprecated).toContain("microsoftEntraIdPlugin");
    expect(boot(azureAdPlugin(client))).toContainEqual(expect.stringContaining('"azure-ad"'));
  });
});

describe("options that a provider of the catalog requires", () => {
  it("boot names the provider, the option and an example if an option is missing", () => {
    expect(() => boot(make(netsuitePlugin as never, client) as Plugin)).toThrow(
      /"netsuite" has no `accountID`; set it to a string such as 1234567-sb1/,
    );
    // Like an environment variable that is set to an empty value.
    expect(() =>
      boot(make(netsuitePlugin as never, { ...client, accountID: "" }) as Plugin),
    ).toThrow(/"netsuite" has no `accountID`; set it to a string such as 1234567-sb1/);
  });

  it("boot names the allowed values of an option that has another value", () => {
    const plugin = make(zohoPlugin as never, { ...client, dataCenter: "mars" }) as Plugin;
    expect(() => boot(plugin)).toThrow(/"zoho".*`dataCenter`; set it to one of com, eu, in/);
  });

  it("boot warns about an unknown option, and suggests one that differs by a letter", () => {
    const plugin = make(zohoPlugin as never, { ...client, centre: "eu" }) as Plugin;
    expect(boot(plugin)).toContainEqual(
      expect.stringContaining('`centre` is not an option of the provider "zoho"'),
    );
    const typo = make(zohoPlugin as never, { ...client, dataCentr: "eu" }) as Plugin;
    expect(() => boot(typo)).toThrow(/`dataCentr`.*did you mean `dataCenter`/);
  });
});

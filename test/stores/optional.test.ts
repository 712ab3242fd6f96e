import { expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createOwners } from "../../src/kernel/owners.ts";
import { createStoreRegistry } from "../../src/kernel/stores.ts";
import { createRecords } from "../../src/storage/records.ts";

const silent = { error() {}, warn() {}, debug() {} };

function stores() {
  const registrar = { plugin: "limits", frozen: false };
  const records = createRecords(silent, { production: true, storageTimeout: 2 });
  return { registrar, ...createStoreRegistry(createOwners(registrar), () => records) };
}

it("an optional store needs no backend in production and does not use the fallback", async () => {
  const { registrar, store, setStore, check } = stores();
  const counters = store<number>("limits", { optional: true });
  setStore(memoryBackend(), { fallback: true });
  const faults: Error[] = [];
  check({ production: true }, (fault) => faults.push(fault));
  registrar.frozen = true;
  expect(faults).toEqual([]);
  await expect(counters.increment("a")).rejects.toMatchObject({ type: "PluginError" });
});

it("an optional store uses the backend that was set", async () => {
  const { registrar, store, setStore } = stores();
  const counters = store<number>("limits", { optional: true });
  setStore(memoryBackend());
  registrar.frozen = true;
  expect(await counters.increment("a")).toBe(1);
});

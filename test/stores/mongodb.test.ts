import { describe, expect, it } from "vitest";
import { mongodbBackend } from "../../plugins/stores/mongodb.ts";
import { testBackend } from "./_backend.ts";
import { modelCollection } from "./_mongo.ts";

// No server is available here: see the model.
describe("mongodbBackend on a model of MongoDB", () => {
  const collection = modelCollection();
  testBackend(
    () => mongodbBackend(collection),
    { describe, expect, it },
    { rounds: 5, isAdapterLate: true },
  );
});

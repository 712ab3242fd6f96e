import { describe, expect, it } from "vitest";
import { mongodbBackend } from "../../plugins/stores/mongodb.ts";
import { testBackend } from "./_backend.ts";
import { modelCollection } from "./_mongo.ts";

// No server can be had here: see the model.
describe("mongodb, as we understand it", () => {
  const collection = modelCollection();
  testBackend(() => mongodbBackend(collection), { describe, expect, it }, { rounds: 5 });
});

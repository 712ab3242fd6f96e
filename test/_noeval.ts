// The edge forbids code made from text; a run that allows it would prove nothing.
let allowed = true;
try {
  // oxlint-disable-next-line no-new-func, no-implied-eval
  allowed = new Function("return true")() === true;
} catch {
  allowed = false;
}
if (allowed) throw new Error("code generation from strings is not forbidden here");

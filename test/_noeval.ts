// Edge runtimes forbid code generation from strings; a run that allows it would test nothing.
let allowed = true;
try {
  // oxlint-disable-next-line no-new-func, no-implied-eval
  allowed = new Function("return true")() === true;
} catch {
  allowed = false;
}
if (allowed) throw new Error("code generation from strings is not forbidden here");

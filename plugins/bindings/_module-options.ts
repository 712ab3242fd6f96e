/**
 * Checks the names of a module's options.
 * @throws Error naming unknown options. An option of another module, such as `globalAppMiddleware`, would protect
 * nothing.
 */
export function checkModuleOptions<T extends object>(
  options: T,
  known: Readonly<Record<keyof T, true>>,
): void {
  const unknown = Object.keys(options).filter(
    (name) => !Object.hasOwn(known, name) && options[name as keyof T] !== undefined,
  );
  if (!unknown.length) return;
  const list = unknown.map((name) => `\`${name}\``).join(", ");
  throw new Error(
    `Keyhook's module has no option ${list}. Use one of ${Object.keys(known).join(", ")}.`,
  );
}

/** Returns the milliseconds for which this thread has computed so far. Other processes make them no more. */
export function getCpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns the milliseconds of CPU time that this thread has used. The load of other processes does not change it. */
export function getCpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

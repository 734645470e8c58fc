/** The CPU that work takes in this thread, whatever else the machine does. The system's clock may be as coarse as 4 ms. */

/** @param from `process.threadCpuUsage()` of then @returns milliseconds */
export function cpuSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(from);
  return (user + system) / 1_000;
}

/** @returns milliseconds */
export function cpuOf(work: () => void): number {
  const from = process.threadCpuUsage();
  work();
  return cpuSince(from);
}

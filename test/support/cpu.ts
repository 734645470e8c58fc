/** The CPU that work takes in this thread, whatever else the machine does. */

/** @returns milliseconds; the system's clock may be as coarse as 4 ms */
export function cpuOf(work: () => void): number {
  const from = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(from);
  return (user + system) / 1_000;
}

/** The most memory that this process had. */
import { readFileSync } from "node:fs";

/**
 * Peak of the resident memory in bytes. `maxRSS` also counts the memory of the process that started it, from before the
 * program was loaded: Linux has the peak since then in VmHWM (proc(5)).
 */
export function peakMemory(): number {
  try {
    const [, kB] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))!;
    return Number(kB) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}

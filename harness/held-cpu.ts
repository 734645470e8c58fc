/** A process that gets a share of one core, and processes that take what they get: what a busy host is to a service. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startProgram } from "../devnet/start-program.ts";
import { processIds } from "./running-processes.ts";

const PERIOD_MS = 100;

export type HeldCpu = {
  /** What holds the process. */
  by: string;
  release(): void;
};

/** Keeps a process to a share of one core: by cgroups where they may be written, else by stopping it for a part of each 100 ms. */
export function holdCpu(pid: number, share: number): HeldCpu {
  const [period, quota] = [PERIOD_MS * 1_000, Math.round(PERIOD_MS * 1_000 * share)];
  const root = "/sys/fs/cgroup";
  const groups = [
    { by: "cgroup v2", root, limits: { "cpu.max": `${quota} ${period}` } },
    { by: "cgroup v1", root: join(root, "cpu"), limits: { "cpu.cfs_period_us": period, "cpu.cfs_quota_us": quota } },
  ];
  for (const { by, root: parent, limits } of groups) {
    const group = join(parent, `held-${pid}`);
    if (!existsSync(join(parent, "cgroup.procs"))) continue;
    try {
      mkdirSync(group);
      for (const [name, value] of Object.entries(limits)) writeFileSync(join(group, name), String(value));
      writeFileSync(join(group, "cgroup.procs"), String(pid));
    } catch {
      if (existsSync(group)) rmdirSync(group);
      continue;
    }
    const release = () => {
      if (processIds().includes(pid)) writeFileSync(join(parent, "cgroup.procs"), String(pid));
      rmdirSync(group);
    };
    return { by, release };
  }
  const runs = setInterval(() => {
    process.kill(pid, "SIGCONT");
    setTimeout(() => process.kill(pid, "SIGSTOP"), PERIOD_MS * share);
  }, PERIOD_MS);
  return {
    by: "SIGSTOP and SIGCONT",
    release() {
      clearInterval(runs);
      setTimeout(() => process.kill(pid, "SIGCONT"), PERIOD_MS);
    },
  };
}

/** Starts processes that keep a core busy each. @returns ends them */
export function burn(count: number): () => void {
  const burners = Array.from({ length: count }, () =>
    startProgram(process.execPath, ["-e", "for (;;);"], { endSignal: "SIGKILL" }),
  );
  return () => {
    for (const burner of burners) burner.kill("SIGKILL");
  };
}

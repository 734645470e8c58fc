/** Runs checks side by side: each has a time limit, and none stops another. */
import pLimit from "p-limit";
import { error, type Finding, type GroupedCheck, reasonOf, skipped } from "./check.ts";
import type { World } from "./world.ts";

export type Result = Pick<GroupedCheck, "name" | "group"> & { ms: number; findings: Finding[] };

/** Max milliseconds of a check that names none. */
const LIMIT_MS = 15_000;
/** Max checks at the same time: each holds a connection or two. */
const CHECKS_AT_ONCE = 8;

/**
 * @param onResult called as each check ends
 * @returns the results in the order of the checks. Never throws.
 */
export async function runChecks(
  checks: readonly GroupedCheck[],
  world: World,
  onResult: (result: Result) => void = () => {},
): Promise<Result[]> {
  const work = async (check: GroupedCheck) => {
    const result = await runCheck(check, world);
    onResult(result);
    return result;
  };
  return pLimit(CHECKS_AT_ONCE).map(checks, work);
}

async function runCheck(check: GroupedCheck, world: World): Promise<Result> {
  const { name, group, limitMs = LIMIT_MS } = check;
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    const finding = error(
      `no result within ${limitMs / 1000} s`,
      "The system behind it hangs: check its address and the network between.",
    );
    timer = setTimeout(resolve, limitMs, finding);
  });
  const result = await Promise.race([findings(check, world), late]);
  clearTimeout(timer);
  return { name, group, ms: Math.round(performance.now() - startedAt), findings: [result].flat() };
}

async function findings({ needs = [], run }: GroupedCheck, world: World): Promise<Finding | Finding[]> {
  try {
    for (const need of needs) {
      const reason = await world.unmet(need);
      if (reason !== null) return skipped(reason);
    }
    return await run(world);
  } catch (thrown) {
    return error(reasonOf(thrown), "The check itself failed: read the reason, and the log of the system it names.");
  }
}

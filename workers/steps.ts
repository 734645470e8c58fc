/** Steps of a job that do not depend on each other. */

/**
 * Runs all steps one after the other.
 * One item: a failing step, such as a statement that times out (db/sql/batches.ts: 2,000 rows each), keeps no later one
 * from running, and the run fails with all failures.
 * @returns the sum of what they changed
 * @throws AggregateError after the last step, with every failure and the names of the steps that failed
 */
export async function runSteps(steps: Record<string, () => Promise<number>>): Promise<number> {
  let changed = 0;
  const failed = new Map<string, unknown>();
  for (const [name, step] of Object.entries(steps)) {
    try {
      changed += await step();
    } catch (error) {
      failed.set(name, error);
    }
  }
  if (failed.size > 0) throw new AggregateError(failed.values(), `failed: ${[...failed.keys()].join(", ")}`);
  return changed;
}

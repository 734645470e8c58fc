/** Work that may fail with nothing lost. */

/** @returns the result of `work`; `otherwise` when it throws */
export function attempt<T, Other>(work: () => T, otherwise: Other): T | Other {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

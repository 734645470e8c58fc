/** A wait with a limit. */

/** The result of `work`, or `otherwise` when it fails or takes longer than `ms`. */
export async function inTime<T, O>(work: Promise<T>, ms: number, otherwise: () => O): Promise<T | O> {
  const late = Promise.withResolvers<O>();
  const timer = setTimeout(() => late.resolve(otherwise()), ms).unref();
  try {
    return await Promise.race([work, late.promise]);
  } catch {
    return otherwise();
  } finally {
    clearTimeout(timer);
  }
}

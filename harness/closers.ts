/** Whatever was started for something is ended with it, the last first. */

/** Ends something at the end, before what was named earlier. */
export type Later = (closer: () => unknown) => void;

/** Makes something out of what is started one after the other; when that fails, what was started is ended. @param make gets what ends all of it, once */
export async function withClosers<T>(make: (later: Later, close: () => Promise<void>) => Promise<T>): Promise<T> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    return await make((closer) => void closers.push(closer), close);
  } catch (error) {
    await close();
    throw error;
  }
}

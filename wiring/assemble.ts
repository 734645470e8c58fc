/** Building a value out of parts that must be closed: a failure of a later part closes the parts that are already open. */

export type Assembly<T> = { value: T; close(): Promise<void> };

/**
 * Builds a value.
 * @param build opens the parts; each registers its close with `parts.defer` as soon as it is open
 * @returns `close` closes the parts in the reverse of the order in which they were opened
 * @throws the error of `build`, after the parts opened before it are closed
 */
export async function assemble<T>(build: (parts: AsyncDisposableStack) => Promise<T>): Promise<Assembly<T>> {
  const parts = new AsyncDisposableStack();
  try {
    const value = await build(parts);
    return { value, close: () => parts.disposeAsync() };
  } catch (error) {
    await parts.disposeAsync().catch(() => {});
    throw error;
  }
}

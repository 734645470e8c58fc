/** Folders of tests, removed after them with what is in them. */
import { rmSync } from "node:fs";
import { afterAll, onTestFinished } from "vitest";
import { scratchDirectory } from "../../harness/scratch.ts";

type Options = Parameters<typeof scratchDirectory>[1];

/** For all tests of the file, or of the `describe` it is called in. @returns its path */
export const folderPerFile = (name: string, options?: Options): string => removedAfter(afterAll, name, options);

/** For the test that calls it, whose `afterEach` come before. @returns its path */
export const folderOfTest = (name: string, options?: Options): string => removedAfter(onTestFinished, name, options);

function removedAfter(after: (remove: () => void) => void, name: string, options?: Options): string {
  const path = scratchDirectory(name, options);
  after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

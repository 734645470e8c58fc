/** The order of test files: those that take long begin first, so that none of them is still alone at work at the end. */
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";
import { words } from "../support/words.ts";

/** By what they do, not by their size: they start the whole service, kill it, or open a browser. */
const LONG = [
  ...words("web/terminal client-libraries/ stack/crash indexer/restart payments/crash indexer/reorg indexer/events"),
  ...words("stack/ payments/ simulation/ load/ workers/sender workers/awards"),
];

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = LONG.findIndex((part) => moduleId.includes(`/test/${part}`));
      return found === -1 ? LONG.length : found;
    };
    // What a run before has measured, or the files' sizes, decides among the rest; sorting keeps it.
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

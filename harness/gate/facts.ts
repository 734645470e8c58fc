/** What a stage of the gate writes down while it runs, a JSON line each: this is what is known of a stage that is cut off. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";

type Place = { file: string; project: string };
export type Fact =
  | ({ kind: "planned" } & Place)
  | ({ kind: "test"; test: string; state: "passed" | "failed" | "skipped"; message?: string } & Place)
  | ({ kind: "file"; state: "passed" | "failed"; message?: string } & Place & Circumstances)
  /** An error that belongs to no test. */
  | { kind: "error"; message: string; file?: string };

/** What may have made a file fail that is not in it. */
export type Circumstances = {
  /** Of the machine, over the last minute. */
  load: number;
  /** Files that the worker ran before this one, oldest first. */
  before: string[];
  /** Of the worker, at the end of its last test; mebibytes. */
  rssMb: number | undefined;
};

/** The file that facts go to; undefined outside the gate. */
export const FACTS = process.env.GATE_FACTS;

/** Adds a line; does nothing outside the gate. */
export function note(fact: Fact): void {
  if (FACTS) appendFileSync(FACTS, `${JSON.stringify(fact)}\n`);
}

/** All whole lines of a file that may not exist, or end in the middle of one. */
export function readFacts(path: string): Fact[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Fact);
}

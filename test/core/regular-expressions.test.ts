/** Every regular expression that may see a stranger's bytes takes linear time: none can be made to walk a text again from each of its characters. */
import { globSync, readFileSync } from "node:fs";
import { parseSync, Visitor } from "vite";
import { expect, it } from "vitest";
import { cpuOf } from "../support/cpu.ts";

const ROOMS = "{api,card-renderer,clients,columns,core,db,ops,runtime,settlement,workers,sdk/src,web/src}";
/** Where a quadratic one takes milliseconds and a linear one microseconds. */
const UNITS = 4_000;
const MANY_UNITS = 32_000;
/** A linear one takes less than 5 ms of CPU for `MANY_UNITS`, a quadratic one hundreds. */
const MAX_CPU_MS = 60;

/** What is repeated: single characters of every kind, pieces of formats, and below the words of the pattern itself. */
const PIECES = [
  ..." \t\n\r\"'-.:/\\@#&+=~%$*^,;_|!?()[]{}<>0a1AFzé",
  ...[
    "\u0301",
    "\u200d",
    "\u200b",
    "あ",
    "🤖",
    "🤖\u200d",
    "0a",
    "Aa",
    "a.",
    "a-",
    "a b",
    "a,",
    ",a",
    "a=",
    "a:",
    "a@",
  ],
  ...['\\"', "\\\\", "%20", "../", "//", "\r\n", "\n\n", "data:", "<a", "[a", "{a", "1,", "1."],
];
const BEGINNINGS = ["", "a", "0x", "https://", '"'];
const ENDS = ["\0", "a"];

const isUnbounded = (pattern: string) => /[*+]|\{\d+,\}/.test(pattern);

/** The literals of a file, each with its place. */
function literalsIn(path: string): { place: string; pattern: string; flags: string }[] {
  const text = readFileSync(path, "utf8");
  const found: { place: string; pattern: string; flags: string }[] = [];
  new Visitor({
    Literal(node) {
      if (!("regex" in node)) return;
      const line = text.slice(0, node.start).split("\n").length;
      found.push({ place: `${path}:${line}`, ...node.regex });
    },
  }).visit(parseSync(path, text).program);
  return found;
}

const elapsed = (work: () => void): number => {
  const from = performance.now();
  work();
  return performance.now() - from;
};

/** A text on which the expression takes more than linear time; null when none of those tried is one. */
function slowOn(pattern: string, flags: string): string | null {
  const expression = new RegExp(pattern, flags.replace(/[gy]/g, ""));
  const words = pattern.match(/[A-Za-z]{2,}[ :=/"'<-]?/g) ?? [];
  for (const piece of new Set([...PIECES, ...words, ...words.map((word) => `${word} `)]))
    for (const beginning of BEGINNINGS)
      for (const end of ENDS) {
        const search = (units: number) => {
          const text = beginning + piece.repeat(units / piece.length) + end;
          return () => void expression.test(text);
        };
        const short = search(UNITS);
        if (elapsed(short) < 2 || elapsed(short) < 2) continue;
        if (cpuOf(search(MANY_UNITS)) > MAX_CPU_MS) return JSON.stringify([beginning, piece, end]);
      }
  return null;
}

const literals = globSync(`${ROOMS}/**/*.{ts,tsx}`)
  .filter((path) => !path.includes("node_modules"))
  .flatMap(literalsIn)
  .filter(({ pattern }) => isUnbounded(pattern));

it("is found where it stands", () => {
  expect(literals.length).toBeGreaterThan(150);
  expect(slowOn("\\/+$", "")).not.toBeNull();
  expect(slowOn("(?<!\\/)\\/+$", "")).toBeNull();
});

it("takes linear time, whatever the text", () => {
  const slow = literals.flatMap(({ place, pattern, flags }) => {
    const text = slowOn(pattern, flags);
    return text === null ? [] : [`${place} /${pattern}/ on ${text}`];
  });
  expect(slow).toEqual([]);
});

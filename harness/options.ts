/** Options of commands: the words behind the name of a script or a benchmark. */
import { parseArgs } from "node:util";

/** Ends the command with a sentence. */
export function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

/** A number that a command takes. `short`: what it is when it is left out beside `--short`. `fraction`: it need not be whole. */
type NumberOption = { absent: number; short?: number; least?: number; fraction?: true };

/** The switch of a quick look, which every benchmark has. */
export const WITH_SHORT = { short: { type: "boolean" } } as const;

/**
 * The command line of a command whose options are numbers, texts and switches; it ends with a sentence where a number is none.
 * @param numbers by option, each with what it is when it is left out
 */
export function commandLine<
  const Numbers extends Record<string, NumberOption>,
  const Others extends Record<string, { type: "string" | "boolean" }>,
>(numbers: Numbers, others: Others, args = process.argv.slice(2)) {
  const options = Object.fromEntries(Object.keys(numbers).map((name) => [name, { type: "string" as const }]));
  const { values, positionals } = parseArgs({ args, options: { ...options, ...others }, allowPositionals: true });
  const given = values as Record<string, string | boolean | undefined>;
  const read = (name: string, { absent, short = absent, least = 0, fraction }: NumberOption) => {
    const value = Number(given[name] ?? (given.short ? short : absent));
    if (value >= least && (fraction ? value > 0 : Number.isSafeInteger(value))) return value;
    return refuse(`--${name} takes ${fraction ? "a number above 0" : `a whole number from ${least} on`}.`);
  };
  return {
    words: positionals,
    numbers: Object.fromEntries(Object.entries(numbers).map(([name, of]) => [name, read(name, of)])) as Record<
      keyof Numbers,
      number
    >,
    others: given as { [Name in keyof Others]?: Others[Name]["type"] extends "string" ? string : boolean },
  };
}

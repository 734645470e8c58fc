/** The command line of `npm run backfill`: what it asks for, or one sentence why it cannot be done. */
import { parseArgs } from "node:util";
import type { Config } from "../../config/config.ts";
import type { IndexedContract } from "../../indexer/progress/meter.ts";

export const USAGE = `Usage: npm run backfill -- [options]
  (no option)         indexes the chain until the index has caught up, and shows the progress
  --estimate          says before the start: blocks, events, requests, compute units, time; requests a sample only
  --watch             shows the progress of the indexer that runs
  --contract <name>   fetches this contract's history into the cache and leaves the index as it is
  --from <block>      fetches from this block on (default: where the contract's history begins)
  --to <block>        fetches up to this block (default: the newest final block)
Exit codes: 0 done, 1 cannot run or failed, 2 wrong arguments, 3 an indexer runs already, 130 or 143 interrupted.`;

/** Exit codes of the command. */
export const EXIT = { done: 0, failed: 1, usage: 2, running: 3, SIGINT: 130, SIGTERM: 143 } as const;

/** An end with a sentence for the operator and an exit code. */
export class CommandError extends Error {
  readonly code: number;
  constructor(message: string, code: number = EXIT.failed) {
    super(message);
    this.code = code;
  }
}

/** The contracts with an index, in the order of ponder.config.ts. */
export const indexedContracts = ({ indexed }: Pick<Config, "indexed">): IndexedContract[] =>
  Object.entries(indexed).map(([name, contract]) => ({ name, ...contract }));

/** A part of the history. Undefined ends are those of the contracts and of the chain. */
export type Part = { contract: string | undefined; from: number | undefined; to: number | undefined };

/** `part` is null where the whole history is meant. */
export type Task =
  | { kind: "index" | "watch" | "help" }
  | { kind: "estimate"; part: Part }
  | { kind: "fetch"; part: Part };

/**
 * @param words the command line behind the program's name
 * @param contracts names of the contracts with an index
 * @throws CommandError with exit code 2
 */
export function taskOf(words: readonly string[], contracts: readonly string[]): Task {
  const values = valuesOf(words);
  if (values.help) return { kind: "help" };
  const part: Part = {
    contract: values.contract === undefined ? undefined : nameOf(values.contract, contracts),
    from: blockOf("--from", values.from),
    to: blockOf("--to", values.to),
  };
  const isPart = part.contract !== undefined || part.from !== undefined || part.to !== undefined;
  if (part.from !== undefined && part.to !== undefined && part.from > part.to)
    throw new CommandError(`--from ${part.from} is above --to ${part.to}.`, EXIT.usage);
  if (values.watch && (values.estimate || isPart)) throw new CommandError("--watch takes no other option.", EXIT.usage);
  if (values.watch) return { kind: "watch" };
  if (values.estimate) return { kind: "estimate", part };
  return isPart ? { kind: "fetch", part } : { kind: "index" };
}

function valuesOf(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        estimate: { type: "boolean" },
        watch: { type: "boolean" },
        help: { type: "boolean", short: "h" },
        contract: { type: "string" },
        from: { type: "string" },
        to: { type: "string" },
      },
    }).values;
  } catch (error) {
    throw new CommandError(`${(error as Error).message.split(". ")[0]}.\n${USAGE}`, EXIT.usage);
  }
}

function nameOf(written: string, contracts: readonly string[]): string {
  const name = contracts.find((known) => known.toLowerCase() === written.toLowerCase());
  if (name === undefined)
    throw new CommandError(`There is no contract ${written}. The contracts are ${contracts.join(", ")}.`, EXIT.usage);
  return name;
}

function blockOf(option: string, written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const digits = written.replaceAll(/[_,]/g, "");
  if (!/^\d{1,15}$/.test(digits)) throw new CommandError(`${option} ${written} is not a block number.`, EXIT.usage);
  return Number(digits);
}

/** A part with its ends: each contract with the first block to fetch, and the last block of all. */
export type Selection = { contracts: (IndexedContract & { from: number })[]; to: number };

/**
 * @param finalBlock newest block that is final: a later one can still be replaced, so it does not belong in the cache
 * @throws CommandError with exit code 2 when the part contains no block of a chosen contract's history
 */
export function selectionOf(part: Part, contracts: readonly IndexedContract[], finalBlock: number): Selection {
  const to = part.to ?? finalBlock;
  if (to > finalBlock)
    throw new CommandError(`--to ${to} is not final yet: the newest final block is ${finalBlock}.`, EXIT.usage);
  const chosen = contracts.filter(({ name }) => part.contract === undefined || name === part.contract);
  const first = Math.min(...chosen.map(({ startBlock }) => startBlock));
  const subject = part.contract ?? "the contracts";
  if (to < first)
    throw new CommandError(`The history of ${subject} begins at block ${first}, above block ${to}.`, EXIT.usage);
  if (part.from !== undefined && part.from > to)
    throw new CommandError(`--from ${part.from} is above block ${to}, the newest final block.`, EXIT.usage);
  return {
    to,
    contracts: chosen
      .map((contract) => ({ ...contract, from: Math.max(part.from ?? 0, contract.startBlock) }))
      .filter(({ from }) => from <= to),
  };
}

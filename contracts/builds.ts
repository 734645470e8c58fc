/** The compiled contracts as committed, and those that come compiled from their npm package. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { PROJECT_ROOT } from "../runtime/project-root.ts";

const require = createRequire(import.meta.url);

/** The real EAS contracts, with their artifacts. */
export const EAS_PACKAGE = "@ethereum-attestation-service/eas-contracts";

export type AbiEntry = { type: string; name?: string; inputs?: AbiParameter[]; outputs?: AbiParameter[] };
type AbiParameter = { name: string; type: string; components?: AbiParameter[] };

/** The compiled form of one contract, as committed. */
export type Build = {
  contract: string;
  /** solc's version. */
  compiler: string;
  abi: AbiEntry[];
  /** Creation code. */
  bytecode: `0x${string}`;
};

/**
 * A compiled contract.
 * @param contract name of a contract in this folder, or `EAS_PACKAGE/<name>`
 */
export function readBuild(contract: string): Pick<Build, "abi" | "bytecode"> {
  const name = basename(contract);
  if (contract.startsWith(EAS_PACKAGE)) return require(`${EAS_PACKAGE}/artifacts/contracts/${name}.sol/${name}.json`);
  return JSON.parse(readFileSync(join(PROJECT_ROOT, `contracts/build/${name}.json`), "utf8")) as Build;
}

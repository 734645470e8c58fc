/** Registries with a trait, as SQL. */
import { REGISTRIES, type RegistryRow } from "../../core/directory/registries.ts";

/** Keys for `in`: `('mcp-registry', 'x402-bazaar')`. */
export const registriesThat = (trait: "hasNamespaces" | "listsPayees"): string =>
  `(${(REGISTRIES as readonly RegistryRow[])
    .filter((row) => row[trait])
    .map(({ key }) => `'${key}'`)
    .join(", ")})`;

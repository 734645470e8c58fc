/** SQL of which registries are of a kind. */
import { REGISTRIES, type RegistryRow } from "../../core/directory/registries.ts";

/** A list in parentheses of the keys of those of which something holds. */
export const registriesThat = (trait: "hasNamespaces" | "listsPayees"): string =>
  `(${(REGISTRIES as readonly RegistryRow[])
    .filter((row) => row[trait])
    .map(({ key }) => `'${key}'`)
    .join(", ")})`;

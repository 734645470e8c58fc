/** What a client that others wrote is to the tests: one entry of the list in list.ts. */
import { fileURLToPath } from "node:url";
import type { World } from "./world.ts";

/** The folder whose node_modules has what is not a dependency of this project. `npm run clients` installs it. */
export const PACKAGES = fileURLToPath(new URL("packages/", import.meta.url));

/** Imports a package, or a path inside one, at the entry's version. */
export type Load = <T = never>(name: string) => Promise<T>;

/** What it did, in a few words; or why the local stack cannot show the end of it, after everything before was seen to be right. */
type Outcome = string | { did: string; stopsAt: string };

export type Client = {
  /** As the table names it, where the package's name does not do. */
  name?: string;
  /** Null for scripts that use nothing but what Node brings. */
  package: string | null;
  /** The key in packages/package.json where that is another one. */
  alias?: string;
  /**
   * Asked by `npm test` too: the package is a dependency of this project, at the version that is. An entry without it
   * is asked by `npm run clients` only, and its package comes from packages/package.json.
   */
  quick?: true;
  /** It runs in Chromium, in a page of another origin. */
  browser?: true;
  /** Milliseconds; three times as long as one wait unless given. */
  timeoutMs?: number;
  /**
   * Uses the client as its documentation says, and checks afterwards whether the answers were right.
   * @throws Error when anything is not as it should be
   */
  run(world: World, load: Load): Promise<Outcome>;
};

/** Of one client alone: a package that is there in two versions has its alias with it. */
export const nameOf = ({ name, package: of, alias }: Client): string =>
  `${name ?? of ?? "script"}${alias ? ` (${alias})` : ""}`;

/** A client that is one package, by what is done with what it exports. */
export const by = <Library>(
  entry: Pick<Client, "name" | "alias" | "quick"> & { package: string },
  use: (world: World, library: Library) => Promise<string>,
): Client => ({
  ...entry,
  run: async (world, load) => use(world, await load<Library>(entry.alias ?? entry.package)),
});

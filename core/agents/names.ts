/** Rules for names: display names of agents, and names of the .agent namespace. */
import { fail } from "../errors.ts";
import { textSchema } from "../text.ts";

/** An agent's display name: 1 to 64 code points after trimming, one line, printable. */
export const agentNameSchema = textSchema({ min: 1, max: 64 });

/** Tested before lower-casing: some letters outside ASCII become ASCII ones. */
const NAMESPACE = /^[0-9a-z_-]{2,32}$/i;

/**
 * The key of a name in the .agent namespace: lower case, without a trailing `.agent`.
 * @throws invalid_input unless 2 to 32 of a-z, 0-9, _ and - remain.
 */
export function dotAgentKey(name: string): string {
  const bare = bareName(name);
  if (!NAMESPACE.test(bare))
    fail("invalid_input", "A .agent name has 2 to 32 letters a-z, digits, hyphens and underscores.", {
      details: [{ path: "name", message: "must be 2 to 32 of a-z, 0-9, - and _" }],
    });
  return bare.toLowerCase();
}

/** A name in the .agent namespace without the namespace's ending. */
export const bareName = (name: string): string => name.replace(/\.agent$/i, "");

/** A name in the .agent namespace as people write it, with the ending. */
export const withDotAgent = (name: string): string => `${bareName(name)}.agent`;

/** Where the terminal has the form that takes an open step of a score. */
import type { OpenPoint } from "../api/types.ts";

/** The section whose forms lift a signal; a signal that no form lifts has none. */
const SECTION_OF: Partial<Record<OpenPoint["signal"], string>> = {
  activity: "referral",
  traits: "traits",
  verify: "proofs",
  coinbase: "proofs",
  narrative: "words",
};

/** The form that takes a step: its section, and in it the part that is named as the step's operation ends. */
export function formOf(tokenId: number, { signal, endpoint }: OpenPoint): string | null {
  const section = SECTION_OF[signal];
  return section === undefined ? null : `/agent/${tokenId}/manage/${section}#${endpoint.split("/").at(-1)}`;
}

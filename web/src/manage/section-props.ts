/** What a section of the management is given. */
import type { Agent } from "../api/types.ts";

export type SectionProps = { agent: Agent };

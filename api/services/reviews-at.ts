/** Reading one's own review: figures follow the index after a moment. */
import type { RegistryAgent } from "../../db/reviews/review-facts.ts";
import { figuresAreCurrent } from "../../db/reviews/review-pages.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { untilShown } from "./until-shown.ts";

/**
 * Waits until the index has a block and an agent's figures are of that index.
 * @param block undefined returns at once
 * @throws Failure indexer_behind when that takes too long
 */
export async function waitForFigures(
  { db, index }: Pick<HandlerDeps, "db" | "index">,
  agent: RegistryAgent,
  block: number | undefined,
): Promise<void> {
  if (block === undefined) return;
  const current = () => figuresAreCurrent(db, agent);
  await untilShown({ index }, `The reviews of block ${block} are not weighed yet.`, [current]);
}

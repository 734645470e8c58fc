/** A small world of the benchmark: rings of all kinds move no honest agent, and few honest reviewers are marked with them. */
import { expect, it } from "vitest";
import { judge } from "../../../bench/reviews/judge.ts";
import { RINGS_DEV } from "../../../bench/reviews/rings-dev.ts";
import { RINGS_HELD_OUT } from "../../../bench/reviews/rings-held-out.ts";
import { RINGS_OF_READERS } from "../../../bench/reviews/rings-of-readers.ts";
import { honestWorld } from "../../../bench/reviews/world.ts";

const kinds = { RINGS_DEV, RINGS_HELD_OUT, RINGS_OF_READERS };

it.each(Object.entries(kinds))("moves no honest agent by five points: %s", (name, rings) => {
  const world = honestWorld(20, 40);
  for (const [kind, ring] of Object.entries(rings)) for (let i = 0; i < 2; i++) ring(world, `${kind} ${i}`);
  const { moved, marked, all, rated } = judge(world, () => "ring");
  expect(rated).toBeGreaterThan(20);
  expect(Math.max(...moved.map(({ adjusted }) => adjusted))).toBeLessThan(5);
  expect(marked.get("honest") ?? 0).toBeLessThan(0.02 * all.get("honest")!);
  if (name !== "RINGS_OF_READERS") expect(marked.get("ring")!).toBeGreaterThan(0.75 * all.get("ring")!);
});

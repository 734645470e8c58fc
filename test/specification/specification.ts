/**
 * The table of the specification: every sentence of it that a program can check, and whether the running service does
 * so. A row with `decided` is one where the specification's variants exclude each other.
 */
import { beforeAll, describe, it } from "vitest";
import type { Stack } from "../../harness/stack.ts";
import { ENDPOINTS } from "./endpoints.ts";
import type { Section } from "./fact.ts";
import { RESOURCES } from "./resources.ts";
import { RULES } from "./rules.ts";
import { type Walk, walkOf } from "./walk.ts";

export const SPECIFICATION: readonly Section[] = [...RESOURCES, ...ENDPOINTS, ...RULES];

export const specificationOnTheStack = (stackOf: () => Pick<Stack, "devnet">) =>
  describe("the specification", () => {
    let walk: Walk;
    beforeAll(async () => {
      walk = await walkOf(stackOf().devnet);
    });
    for (const { title, facts } of SPECIFICATION)
      describe(title, () => {
        it.each(facts.map((fact) => [fact.states, fact] as const))("%s", async (_, fact) => {
          await fact.holds(walk);
        });
      });
  });

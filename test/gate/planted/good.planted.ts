import { expect, it } from "vitest";

it("holds", () => expect(1 + 1).toBe(2));
it.skip("is left out", () => {});

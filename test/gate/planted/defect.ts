/** Is wrong. */
import { expect, it } from "vitest";

it("is false", () => expect("the moon").toBe("a cheese"));

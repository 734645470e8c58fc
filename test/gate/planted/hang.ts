/** Never ends. */
import { it } from "vitest";

it("never ends", () => new Promise(() => setInterval(() => {}, 1_000)));

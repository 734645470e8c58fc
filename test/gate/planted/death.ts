/** Ends its worker. */
import { it } from "vitest";

it("ends its worker", () => process.kill(process.pid, "SIGKILL"));

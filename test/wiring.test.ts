/** Assembling a process: what is open is closed, also when a later part fails to open. */
import { describe, expect, it } from "vitest";
import { assemble } from "../wiring/assemble.ts";

/** Parts that write down that they were closed. */
const recorder = () => {
  const closed: string[] = [];
  const open = (parts: AsyncDisposableStack, name: string) => {
    parts.defer(() => void closed.push(name));
    return name;
  };
  return { closed, open };
};

describe("assemble", () => {
  it("closes its parts in the reverse of the order in which they were opened", async () => {
    const { closed, open } = recorder();
    const { value, close } = await assemble(async (parts) => [open(parts, "database"), open(parts, "queues")]);
    expect(value).toEqual(["database", "queues"]);
    expect(closed).toEqual([]);
    await close();
    expect(closed).toEqual(["queues", "database"]);
  });

  it("closes what is open when a later part fails, and says why it failed", async () => {
    const { closed, open } = recorder();
    const assembling = assemble(async (parts) => {
      open(parts, "database");
      open(parts, "queues");
      throw new Error("port 9464 for metrics is taken");
    });
    await expect(assembling).rejects.toThrow("port 9464");
    expect(closed).toEqual(["queues", "database"]);
  });

  it("says why a part failed to open although another cannot be closed", async () => {
    const { closed, open } = recorder();
    const assembling = assemble(async (parts) => {
      open(parts, "database");
      parts.defer(() => Promise.reject(new Error("the connection is gone")));
      throw new Error("no chain");
    });
    await expect(assembling).rejects.toThrow("no chain");
    expect(closed).toEqual(["database"]);
  });
});

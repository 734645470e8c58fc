/** Fitting the processes to a plan of connections: what each gets, and where the service is refused. */
import { describe, expect, it } from "vitest";
import { type ConnectionRole, connectionsOf, fitConnections, poolsOf } from "../../core/operations/connection-plan.ts";

const ROLES: ConnectionRole[] = ["api", "workers", "readers", "indexer"];
const fitted = (
  maxConnections: number,
  { role = "api" as ConnectionRole, asked = 10, reserved = 3, foreign = 0, running = [] as ConnectionRole[] } = {},
) => fitConnections(role, asked, { maxConnections, reserved, foreign, running });

describe("a plan of connections", () => {
  it.each([
    [100, 10],
    [60, 10],
    [40, 6],
    [25, 2],
  ])("of %i gives an API a pool of %i, and the others theirs", (maxConnections, pool) => {
    for (const role of ROLES) expect(fitted(maxConnections, { role })).toMatchObject({ pool });
    expect(connectionsOf(pool)).toBeLessThanOrEqual(maxConnections - 3);
  });

  it("that has room changes nothing and says nothing", () => {
    expect(fitted(100)).toEqual({ pool: 10, slower: null });
    expect(poolsOf(10)).toEqual({ api: 10, workers: 5, readers: 3, indexer: 18 });
  });

  it.each<[ConnectionRole[], number]>([
    [[], 10],
    [["workers", "readers", "indexer"], 10],
    [["api", "workers", "readers", "indexer"], 8],
    [["api", "api"], 5],
    [Array(9).fill("api"), 2],
  ])("of 60 gives an API beside %j a pool of %i", (running, pool) => {
    expect(fitted(60, { running })).toMatchObject({ pool });
  });

  it("that is small says what is slower, each process for itself", () => {
    const slower = ROLES.map((role) => (fitted(25, { role }) as { slower: string }).slower);
    expect(slower[0]).toBe(
      "Postgres allows this service 22 connections (max_connections 25, reserved 3, used by others 0): the pool has 2 in place of 10, so requests wait longer for each other.",
    );
    expect(new Set(slower).size).toBe(ROLES.length);
  });

  it.each([12, 24])("of %i is refused with what to set", (maxConnections) => {
    expect(fitted(maxConnections)).toEqual({
      refusal: `Postgres allows this service ${maxConnections - 3} connections (max_connections ${maxConnections}, reserved 3), and it needs at least 22. Set max_connections to 25 or more.`,
    });
  });

  it.each([
    [100, 50, 9],
    [100, 90, 2],
    [25, 5, 2],
  ])("of %i of which others use %i is fitted, and never refused for what may end any time", (all, foreign, pool) => {
    expect(fitted(all, { foreign })).toMatchObject({
      pool,
      slower: expect.stringContaining(`used by others ${foreign}`),
    });
  });
});

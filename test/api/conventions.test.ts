/** The conventions every operation shares: errors, headers, verbs, parameters, validators. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApi, type TestApi } from "./support/api.ts";

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.close());

describe("errors", () => {
  it("answers an unknown path with 404 not_found", async () => {
    const { status, body, headers } = await api.get("/api/v2/nothing");
    expect(status).toBe(404);
    expect(body).toEqual({ error: expect.any(String), code: "not_found", requestId: headers.get("x-request-id") });
    expect(headers.get("cache-control")).toBe("no-store");
  });
});

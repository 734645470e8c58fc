/** Outcomes of sessions, reported by holders of API keys; and the command that hands keys out. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { entryOf } from "../../runtime/processes.ts";
import { casesOf } from "../support/share.ts";
import { plantAgents, walletOf } from "./support/agents.ts";
import { apiForFile } from "./support/api.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

let key: string;
const api = apiForFile({ env: { RECEIPT_SIGNER_PRIVATE_KEY: `0x${"5".repeat(64)}` } });
beforeAll(async () => {
  await plantAgents(api.pool, [{ name: "Zero", score: 42 }, { name: "One" }]);
  key = apiKeys("create", "A", "platform").stdout.trim();
});

/** Runs the command as an operator would, on the test's database. */
const apiKeys = (...args: string[]) =>
  spawnSync(process.execPath, [entryOf("api-keys"), ...args], {
    cwd: ROOT,
    encoding: "utf8",
    env: { DATABASE_URL: api.database.url, DATA_DIR: "/nonexistent" },
  });
const report = (ref: string | number, body: object, headers: Record<string, string> = { "x-api-key": key }) =>
  api.write("POST", `/api/v2/agent/${ref}/session-outcome`, body, headers);
const sessions = async () =>
  (await api.get("/api/v2/agent/0/cred-report")).body.sessions as unknown as { success: number; failure: number };

describe("an outcome", () => {
  it("is recorded, by token id or address, shown in the report, and moves no score", async () => {
    const before = (await api.get("/api/v2/agent/0/cred")).body.credScore;
    const session = { outcome: "success", details: "Well done.\nThanks.", sessionId: "s-1", duration: 0 };
    expect(await report(0, session)).toMatchObject({ status: 200, body: { success: true, recorded: true } });
    expect((await report(walletOf(0).toUpperCase().replace("0X", "0x"), { outcome: "partial" })).status).toBe(200);
    expect((await report(0, { outcome: "failure", sessionId: "s-2" })).status).toBe(200);
    expect(await sessions()).toEqual({ success: 1, failure: 1, partial: 1 });
    expect((await api.get("/api/v2/agent/0/cred")).body.credScore).toBe(before);
    const rows = await api.sql(
      "select token_id::int, outcome, details, duration_seconds from offchain.session_outcome where session_id = 's-1'",
    );
    expect(rows).toEqual([{ token_id: 0, outcome: "success", details: "Well done.\nThanks.", duration_seconds: 0 }]);
  });

  it("counts once for each key and session: the first report stands", async () => {
    const other = apiKeys("create", "Another platform").stdout.trim();
    const [first, ...more] = await Promise.all(
      Array.from({ length: 8 }, () => report(1, { outcome: "success", sessionId: "twice" })),
    );
    const all = [first!, ...more, await report(1, { outcome: "failure", sessionId: "twice" })];
    expect(all.map(({ status }) => status)).toEqual(Array(9).fill(200));
    expect(all.filter(({ body }) => body.duplicate === undefined)).toHaveLength(1);
    expect((await report(1, { outcome: "failure", sessionId: "twice" }, { "x-api-key": other })).body).toEqual({
      success: true,
      recorded: true,
    });
    const rows = await api.sql("select outcome from offchain.session_outcome where session_id = 'twice' order by id");
    expect(rows).toEqual([{ outcome: "success" }, { outcome: "failure" }]);
  });

  it("without a session id counts each time", async () => {
    const before = await sessions();
    await report(0, { outcome: "success" });
    await report(0, { outcome: "success" });
    expect((await sessions()).success).toBe(before.success + 2);
  });

  it("is replayed under its Idempotency-Key, which belongs to the API key", async () => {
    const send = () => report(1, { outcome: "partial" }, { "x-api-key": key, "idempotency-key": "once" });
    expect((await send()).headers.has("idempotent-replayed")).toBe(false);
    expect((await send()).headers.get("idempotent-replayed")).toBe("true");
    const other = apiKeys("create", "Third").stdout.trim();
    const elsewhere = await report(1, { outcome: "failure" }, { "x-api-key": other, "idempotency-key": "once" });
    expect(elsewhere.status).toBe(200);
    expect(elsewhere.headers.has("idempotent-replayed")).toBe(false);
  });

  it.each<[string, string | number, object, number]>([
    ["an unknown agent", 999, { outcome: "success" }, 404],
    ["an unknown address", `0x${"9".repeat(40)}`, { outcome: "success" }, 404],
    ["no agent", "abc", { outcome: "success" }, 400],
    ["no outcome", 0, {}, 400],
    ["another outcome", 0, { outcome: "great" }, 400],
    ["too many details", 0, { outcome: "success", details: "x".repeat(2001) }, 400],
    ["too long a session id", 0, { outcome: "success", sessionId: "x".repeat(129) }, 400],
    ["an empty session id", 0, { outcome: "success", sessionId: " " }, 400],
    ["a negative duration", 0, { outcome: "success", duration: -1 }, 400],
    ["a broken duration", 0, { outcome: "success", duration: 1.5 }, 400],
    ["a duration as text", 0, { outcome: "success", duration: "1" }, 400],
  ])("of %s is refused", async (_, ref, body, status) => {
    expect((await report(ref, body)).status).toBe(status);
  });

  it("needs a key", async () => {
    expect(await report(0, { outcome: "success" }, {})).toMatchObject({ status: 401 });
    expect(await report(0, { outcome: "success" }, { "x-api-key": "wrong" })).toMatchObject({ status: 401 });
    expect(await report(0, { outcome: "success" }, { authorization: `Bearer ${key}` })).toMatchObject({ status: 401 });
  });
});

describe("npm run api-keys", () => {
  it("shows a key once, keeps its hash, lists it and ends it", async () => {
    const created = apiKeys("create", "To be ended");
    expect(created.status).toBe(0);
    const ended = created.stdout.trim();
    const [, id] = /^ak_([a-z0-9]{10})_[\w-]{43}$/.exec(ended)!;
    expect((await report(0, { outcome: "success" }, { "x-api-key": ended })).status).toBe(200);
    const stored = await api.pool.query("select * from offchain.api_key where id = $1", [id]);
    expect(JSON.stringify(stored.rows)).not.toContain(ended.slice(14));
    const listed = apiKeys("list").stdout;
    expect(listed).toContain(id);
    expect(listed).toContain("To be ended");
    expect(listed).not.toContain(ended);
    expect(apiKeys("revoke", id!)).toMatchObject({ status: 0 });
    expect((await report(0, { outcome: "success" }, { "x-api-key": ended })).status).toBe(401);
    expect(apiKeys("revoke", id!).status).toBe(0);
  });

  it("gives a key its scopes and reads, in any order", async () => {
    const rows = [
      [
        ["create", "Usual"],
        ["sessions:write", null],
      ],
      [
        ["create", "--scope", "read", "--reads", "6000", "A reader"],
        ["read", 6000],
      ],
      [
        ["create", "Both", "--scope", "read", "--scope", "sessions:write"],
        ["read sessions:write", null],
      ],
      [
        ["create", "Both,", "in", "one", "--scope", "sessions:write,read"],
        ["sessions:write read", null],
      ],
      [
        ["create", "--scope", "queues:read", "Board"],
        ["queues:read", null],
      ],
    ] as const;
    for (const [args, expected] of rows) {
      const { status, stdout, stderr } = apiKeys(...args);
      expect([status, stderr]).toEqual([0, expect.stringContaining("shown this once")]);
      const id = stdout.slice(3, 13);
      const rows = await api.sql("select name, scope, reads_per_minute from offchain.api_key where id = $1", id);
      expect([rows[0].scope, rows[0].reads_per_minute]).toEqual(expected);
    }
    expect(apiKeys("list").stdout).toMatch(/A reader.*read.*6000/);
  });

  it("says how it is used, and what is wrong, in one line", () => {
    const wrong = [
      ["create", "--scope", "everything", "x"],
      ["create", "\u202e"],
      [],
      ["create", "--reads", "5", "x"],
      ["create", "--scope", "read", "--reads", "0", "x"],
      ["create", "--scope", "read", "--reads", "many", "x"],
      ["create", "--nothing", "x"],
      ["create"],
      ["revoke"],
      ["revoke", "x"],
      ["list", "x"],
      ["end", "x"],
    ];
    for (const args of casesOf(wrong, 3)) {
      const { status, stdout, stderr } = apiKeys(...args);
      expect([args, status, stdout, stderr.trim().split("\n").length]).toEqual([args, 1, "", 1]);
    }
  });
});

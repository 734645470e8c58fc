/** The log: what is configured as a secret and what looks like one stands in no line, wherever it came from. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConfig } from "../../config/config.ts";
import { apiKeyText } from "../../core/callers/api-keys.ts";
import { createLog } from "../../runtime/log.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";

const hex = (bytes: number) => randomBytes(bytes).toString("hex");

function logged(env: Record<string, string>, say: (log: ReturnType<typeof createLog>) => void): string {
  const config = loadConfig({ DATA_DIR: "/nonexistent", LOG_LEVEL: "trace", ...env }, { followStack: false });
  const lines: string[] = [];
  say(createLog(config, "test", { write: (line: string) => void lines.push(line) }));
  for (const line of lines) expect(() => JSON.parse(line), line).not.toThrow();
  return lines.join("");
}

it("holds no secret of the configuration, whatever says it", () => {
  const secrets = {
    DEPLOYER_PRIVATE_KEY: `0x${hex(32)}`,
    RECEIPT_SIGNER_PRIVATE_KEY: `0x${hex(32)}`,
    X_BEARER_TOKEN: `x-${hex(20)}`,
    GITHUB_TOKEN: `ghp.${hex(10)}+(odd)`,
    WEBHOOK_KEYS: `0x${hex(32)},0x${hex(32)}`,
  };
  const password = `p%40ss-${hex(8)}`;
  const nodeKey = hex(16);
  const queryKey = hex(12);
  const bucketKey = hex(14);
  const text = logged(
    {
      ...secrets,
      DATABASE_URL: `postgres://app:${password}@db.test:5432/agents`,
      // Both halves of a key may be one text; of Postgres a role may not.
      SNAPSHOT_FOLDER: `s3://${bucketKey}:${bucketKey}@store.test/agents?region=eu-west-1`,
      RPC_URL: `https://node.test/v3/${nodeKey}`,
      RPC_URLS: `https://other.test/?apikey=${queryKey}`,
    },
    (log) => {
      for (const value of Object.values(secrets).flatMap((one) => one.split(","))) {
        log.info(
          { deep: { deeper: { still: [value] } } },
          `it is ${value}, or ${value.toUpperCase().replace("0X", "0x")}`,
        );
        log.error({ err: new Error(`refused ${value}`, { cause: new Error(value) }) }, "trouble");
      }
      log.warn({ err: new Error(`connect postgres://app:${password}@db.test:5432/agents`) }, "database");
      log.warn(`the password is ${decodeURIComponent(password)}`);
      log.warn(`s3://AKIA:${bucketKey}@store.test/agents in eu-west-1`);
      log.warn(`https://node.test/v3/${nodeKey} and https://other.test/?apikey=${queryKey}`);
    },
  );
  const parts = [...Object.values(secrets).flatMap((one) => one.split(",")), password, nodeKey, queryKey, bucketKey];
  for (const part of [...parts, decodeURIComponent(password)])
    expect(text.toLowerCase()).not.toContain(part.replace(/^0x/, "").toLowerCase());
  expect(text).toContain("[redacted]");
  expect(text).toContain("node.test");
  expect(text).toContain("store.test/agents in eu-west-1");
});

it("holds no control that a terminal would obey, and says which was there", () => {
  const text = logged({}, (log) => log.warn({ name: "a\u009b2Jb\u202e" }, "c\u001bd\u2028"));
  expect(text).not.toMatch(/[\u0080-\u009f\u2028\u202e]/);
  expect(JSON.parse(text)).toMatchObject({ name: "a\u009b2Jb\u202e", msg: "c\u001bd\u2028" });
});

it("holds nothing that looks like a secret of a caller's", () => {
  const signature = `0x${hex(65)}`;
  const key = apiKeyText("aaaaaaaaaa", randomBytes(32).toString("base64url"));
  const payment = Buffer.from(JSON.stringify({ x402Version: 2, payload: { signature } })).toString("base64");
  const token = `eyJhbGciOiJFUzI1NiJ9.${randomBytes(40).toString("base64url")}.${randomBytes(64).toString("base64url")}`;
  const webhook = `whsec_${randomBytes(24).toString("base64")}`;
  const all = { signature, key, payment, token, webhook, redis: hex(10) };
  const text = logged({}, (log) => {
    log.info({ authorization: `Bearer 0xabc:1:${signature}`, request: { headers: { "x-api-key": key } } }, "fields");
    log.info(`Authorization: Bearer 0xabc:1:${signature}; X-Api-Key: ${key}`);
    log.info({ quoted: `{"payment":"${payment}"}`, token: { value: token } }, `Bearer ${token}`);
    log.info({ err: new Error(`POST with ${webhook} and ${payment}`) }, `redis://:${all.redis}@host:6379`);
  });
  for (const secret of Object.values(all))
    for (const part of [secret, secret.slice(-24)]) expect(text).not.toContain(part);
  expect(text).toContain("ak_aaaaaaaaaa_[redacted]");
});

it("holds no short secret where it stands alone, and leaves the words that it is a part of", () => {
  const env = {
    DATABASE_URL: "postgres://app:pa%22ss@one.test:5432,two.test:5432/agents?sslpassword=geheim",
    READ_DATABASE_URLS: "postgres://app:lesen@three.test/agents",
    REDIS_URL: "rediss://default:kurz@redis.test:6380",
    RPC_URL: "https://base-mainnet.node.test/v2/abc12",
    RPC_URLS: "https://nameofkey:@other.test/base-mainnet/8453?token=tok",
  };
  const said = [
    ...['the password pa"ss', "the password geheim", "lesen", "WRONGPASS for kurz", "no such path: /v2/abc12"],
    ...["of nameofkey", "?token=tok", "kurze Tokens of base-mainnet, chain 8453, v2"],
  ];
  const text = logged(env, (log) => {
    for (const each of said) log.info(each);
  });
  const messages = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).msg);
  expect(messages).toEqual([
    ...["the password [redacted]", "the password [redacted]", "[redacted]", "WRONGPASS for [redacted]"],
    ...["no such path: /v2/[redacted]", "of [redacted]", "?token=[redacted]", said.at(-1)],
  ]);
});

it("leaves what is public: hashes, addresses, ids, sentences", () => {
  const said = {
    hash: `0x${hex(32)}`,
    wallet: `0x${hex(20)}`,
    requestId: "0d0a3f3c-5f4e-4a52-8f11-3a6f0f5b7e11",
    url: "http://127.0.0.1:4000/api/v2/agent/0",
  };
  const text = logged({}, (log) => log.info(said, "The chain cannot be reached at the moment."));
  for (const value of Object.values(said)) expect(text).toContain(value);
  expect(text).not.toContain("[redacted]");
});

it("leaves the name of a database's role where its password is the same word, and hides that in the URL", () => {
  const DATABASE_URL = "postgres://postgres:postgres@127.0.0.1:5432/agents";
  const text = logged({ DATABASE_URL }, (log) => log.info(`the role postgres cannot connect to ${DATABASE_URL}`));
  expect(text).toContain("the role postgres cannot connect to postgres://postgres:[redacted]@127.0.0.1");
});

it("lets a process end whose output nobody reads any more, with its last lines", async () => {
  const log = join(PROJECT_ROOT, "runtime/log.ts");
  const code = `const { createLog } = await import(${JSON.stringify(log)});
    const log = createLog({ logLevel: "info", secrets: [] }, "test");
    process.on("message", () => { for (const line of ["one", "two"]) log.info(line); process.exit(7); });
    process.send("up");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  await once(child, "message");
  child.stdout!.destroy();
  await once(child.stdout!, "close");
  child.send("end");
  expect(await once(child, "exit")).toEqual([7, null]);
});

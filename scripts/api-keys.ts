/** `npm run api-keys -- create [--scope <scope>]… [--reads <number>] <name> | list | revoke <id>`: hands out, shows and ends keys. */
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import type pg from "pg";
import { apiKeyHash, apiKeyText } from "../core/callers/api-keys.ts";
import { cleanText } from "../core/text.ts";
import { apiKeys, insertApiKey, KEY_SCOPES, type KeyScope, keyScope, revokeApiKey } from "../db/callers/api-keys.ts";
import { operatorCommand, withDatabase } from "./operator-command.ts";

const USAGE = `Usage: npm run api-keys -- create [--scope ${KEY_SCOPES.join("|")}]... [--reads <a minute>] <name> | list | revoke <id>`;
const MAX_READS = 100_000_000;
/** Ids are for people to read out: no letters that look like others. */
const ID_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";
const ID_LENGTH = 10;

await operatorCommand(run);

async function run(words: string[]): Promise<void> {
  const { verb, argument, given, reads } = commandOf(words);
  const bare = given.length === 0 && reads === undefined;
  if (verb === "list" && !argument && bare) return withDatabase(list);
  if (verb === "revoke" && argument && bare) return withDatabase((db) => revoke(db, argument));
  if (verb !== "create" || !argument) throw new Error(USAGE);
  const scopes = given.flatMap((one) => one.split(",")).map((one) => keyScope(one) ?? unknownScope(one));
  const readsPerMinute = reads === undefined ? null : readsOf(reads);
  if (readsPerMinute !== null && !scopes.includes("read"))
    throw new Error("--reads belongs to a key with --scope read.");
  await withDatabase((db) => create(db, argument, [...new Set(scopes)], readsPerMinute));
}

function commandOf(words: string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: { scope: { type: "string", multiple: true }, reads: { type: "string" } },
    });
    const [verb, ...rest] = positionals;
    return { verb, argument: rest.join(" "), given: values.scope ?? [], reads: values.reads };
  } catch {
    throw new Error(USAGE);
  }
}

function unknownScope(name: string): never {
  throw new Error(`There is no scope ${name}: the scopes are ${KEY_SCOPES.join(", ")}.`);
}

function readsOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= MAX_READS) return Number(text);
  throw new Error(`--reads takes a number from 1 to ${MAX_READS.toLocaleString("en")}.`);
}

async function create(db: pg.Client, given: string, named: KeyScope[], readsPerMinute: number | null): Promise<void> {
  const name = cleanText(given, { min: 1, max: 64 });
  if ("problem" in name) throw new Error(`The name ${name.problem}.`);
  const scopes: KeyScope[] = named.length === 0 ? ["sessions:write"] : named;
  const id = [...randomBytes(ID_LENGTH)].map((byte) => ID_LETTERS[byte % ID_LETTERS.length]).join("");
  const key = apiKeyText(id, randomBytes(32).toString("base64url"));
  await insertApiKey(db, { id, name: name.text, hash: apiKeyHash(key), scopes, readsPerMinute });
  // The key alone on standard output, so that a script can take it.
  console.error(
    `Key ${id} for ${name.text} (${scopes.join(", ")}). It is shown this once; what is stored is its hash.`,
  );
  console.log(key);
}

async function list(db: pg.Client): Promise<void> {
  const keys = await apiKeys(db);
  if (keys.length === 0) return console.log("There are no API keys.");
  const minute = (date: Date | null) => date?.toISOString().slice(0, 16).replace("T", " ") ?? "";
  console.table(
    keys.map(({ id, name, scopes, readsPerMinute, createdAt, lastUsedAt, revokedAt }) => ({
      id,
      name,
      scopes: scopes.join(" "),
      "reads a minute": readsPerMinute ?? "",
      created: minute(createdAt),
      "last used": minute(lastUsedAt) || "never",
      revoked: minute(revokedAt),
    })),
  );
}

async function revoke(db: pg.Client, id: string): Promise<void> {
  if (!(await revokeApiKey(db, id))) throw new Error(`There is no API key ${id}.`);
  console.log(`Key ${id} is revoked.`);
}

/** `npm run api-keys -- create [--scope <scope>] <name> | list | revoke <id>`: hands out, shows and ends keys: of those who report session outcomes, and of operators for the board of the queues. */
import { randomBytes } from "node:crypto";
import type pg from "pg";
import { apiKeyHash, apiKeyText } from "../core/api-keys.ts";
import { cleanText } from "../core/text.ts";
import { apiKeys, insertApiKey, KEY_SCOPES, type KeyScope, revokeApiKey } from "../db/api-keys.ts";
import { operatorCommand, withDatabase } from "./operator-command.ts";

const USAGE = `Usage: npm run api-keys -- create [--scope ${KEY_SCOPES.join("|")}] <name> | list | revoke <id>`;
/** Ids are for people to read out: no letters that look like others. */
const ID_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";
const ID_LENGTH = 10;

await operatorCommand(run);

async function run([verb, ...rest]: string[]): Promise<void> {
  const scoped = rest[0] === "--scope";
  const scope = scoped ? KEY_SCOPES.find((one) => one === rest[1]) : "sessions";
  const argument = rest.slice(scoped ? 2 : 0).join(" ");
  if (verb === "create" && argument && scope) return withDatabase((db) => create(db, argument, scope));
  if (verb === "list" && !argument) return withDatabase(list);
  if (verb === "revoke" && argument) return withDatabase((db) => revoke(db, argument));
  throw new Error(USAGE);
}

async function create(db: pg.Client, given: string, scope: KeyScope): Promise<void> {
  const name = cleanText(given, { min: 1, max: 64 });
  if ("problem" in name) throw new Error(`The name ${name.problem}.`);
  const id = [...randomBytes(ID_LENGTH)].map((byte) => ID_LETTERS[byte % ID_LETTERS.length]).join("");
  const key = apiKeyText(id, randomBytes(32).toString("base64url"));
  await insertApiKey(db, { id, name: name.text, hash: apiKeyHash(key), scope });
  // The key alone on standard output, so that a script can take it.
  console.error(`Key ${id} for ${name.text}. It is shown this once; what is stored is its hash.`);
  console.log(key);
}

async function list(db: pg.Client): Promise<void> {
  const keys = await apiKeys(db);
  if (keys.length === 0) return console.log("There are no API keys.");
  const minute = (date: Date | null) => date?.toISOString().slice(0, 16).replace("T", " ") ?? "";
  console.table(
    keys.map(({ id, name, scope, createdAt, lastUsedAt, revokedAt }) => ({
      id,
      name,
      scope,
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

/** API keys as an operator hands them out. */
import { randomBytes } from "node:crypto";
import { apiKeyHash, apiKeyText } from "../core/callers/api-keys.ts";
import { insertApiKey, type KeyScope } from "../db/callers/api-keys.ts";
import { withClient } from "../devnet/with-client.ts";

/** @returns a new API key of one scope */
export async function newApiKey(databaseUrl: string, scope: KeyScope): Promise<string> {
  const id = randomBytes(5).toString("hex");
  const key = apiKeyText(id, randomBytes(32).toString("base64url"));
  await withClient(databaseUrl, (db) => insertApiKey(db, { id, name: scope, hash: apiKeyHash(key), scopes: [scope] }));
  return key;
}

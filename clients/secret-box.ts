/** Encrypts stored secrets with AES-256-GCM under the configured keys: the first key encrypts, all keys decrypt. */
import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes } from "node:crypto";
import type { Hex } from "../core/agents/facts.ts";
import type { SecretBox } from "./ports.ts";

const ALGORITHM = "aes-256-gcm";
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** @param keys 32 bytes each; the first one encrypts */
export function createSecretBox(keys: readonly [Hex, ...Hex[]]): SecretBox {
  const all = keys.map((key) => Buffer.from(key.slice(2), "hex")).map((key) => ({ key, id: keyId(key) }));
  const [current] = all as [(typeof all)[0]];
  return {
    seal(secret, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, current.key, nonce).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([cipher.update(secret), cipher.final()]);
      return Buffer.concat([current.id, nonce, cipher.getAuthTag(), sealed]);
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed);
      const key = all.find(({ id }) => id.equals(bytes.subarray(0, KEY_ID_BYTES)));
      if (!key) throw new Error("a secret was sealed with a key that is not configured any more");
      const nonce = bytes.subarray(KEY_ID_BYTES, KEY_ID_BYTES + NONCE_BYTES);
      const rest = bytes.subarray(KEY_ID_BYTES + NONCE_BYTES);
      const decipher = createDecipheriv(ALGORITHM, key.key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(rest.subarray(0, TAG_BYTES));
      return Buffer.concat([decipher.update(rest.subarray(TAG_BYTES)), decipher.final()]);
    },
    pseudonyms: (text) =>
      all.map(({ key }) => createHmac("sha256", key).update(`pseudonym ${text}`).digest("hex").slice(0, 32)) as [
        string,
        ...string[],
      ],
    isCurrent: (sealed) => current.id.equals(Buffer.from(sealed).subarray(0, KEY_ID_BYTES)),
  };
}

/** Identifies a key without revealing it. */
const keyId = (key: Buffer): Buffer => hash("sha256", key, "buffer").subarray(0, KEY_ID_BYTES);

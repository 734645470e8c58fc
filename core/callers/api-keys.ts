/** API keys as text: `ak_<id>_<secret>`. Only a plain hash of the key is stored, which is safe because the secret has 256 bits. */
import { sha256 } from "@noble/hashes/sha2.js";

/** An id of letters and digits, and a secret in base64url of 32 bytes. */
const SHAPE = /^ak_([a-z0-9]{10})_[A-Za-z0-9_-]{43}$/;

/** The id in a key; null when the text is not an API key. */
export const apiKeyId = (key: string): string | null => SHAPE.exec(key)?.[1] ?? null;

/** @param secret 32 random bytes in base64url */
export const apiKeyText = (id: string, secret: string): string => `ak_${id}_${secret}`;

/** The stored hash of a key. */
export const apiKeyHash = (key: string): Uint8Array => sha256(new TextEncoder().encode(key));

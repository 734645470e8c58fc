/** The log: structured lines on standard output. Data that could pay, sign or sign in are removed. */
import fs from "node:fs";
import { type DestinationStream, type Logger, pino } from "pino";
import type { Config } from "../config/config.ts";
import { withVisibleControls } from "../core/quoted.ts";
import { traceIds } from "./tracing.ts";

const CENSOR = "[redacted]";

/** Names of fields whose value is always a secret. */
const SECRET_FIELDS = [
  "authorization",
  "cookie",
  "credential",
  "headers",
  "password",
  "privateKey",
  "raw",
  "secret",
  "signature",
  "token",
];

/** What looks like a secret anywhere in a line: in a message, in a stack, in what a library quotes. */
const SECRET_SHAPES: [RegExp, string][] = [
  // Base64 of a JSON object: payments, access tokens.
  [/\beyJ[\w+/=-]{16,}(\.[\w+/=-]*)*/g, CENSOR],
  [/\b(Bearer|Basic|Payment)\s+[^\s"\\]{8,}/gi, `$1 ${CENSOR}`],
  // Signatures of 65 bytes and more, with them whole transactions; hashes and addresses are shorter, and public.
  [/\b(0x)?[0-9a-f]{130,}\b/gi, CENSOR],
  [/\b(ak_[a-z0-9]{10}_)[\w-]{20,}/g, `$1${CENSOR}`],
  [/\b(whsec_)[\w+/=-]{8,}/g, `$1${CENSOR}`],
  [/\b(\w+:\/\/[^\s:/@"]*:)[^\s@/"]+@/g, `$1${CENSOR}@`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----/gs, CENSOR],
];

/** Below this number of characters a secret may be a part of ordinary words: it is removed where it stands alone. */
const MIN_PART_CHARS = 8;

/**
 * Removes secrets from a line: the configured ones by their text, all others by their shape.
 * @param secrets values that no line may contain
 */
export function redactor(secrets: readonly string[]): (line: string) => string {
  const written = new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]));
  const escaped = [...written].map((secret) => {
    const pattern = secret.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return secret.length < MIN_PART_CHARS ? `(?<!\\w)${pattern}(?!\\w)` : pattern;
  });
  const configured = escaped.length > 0 ? new RegExp(escaped.join("|"), "gi") : undefined;
  return (line) => {
    let clean = configured ? line.replace(configured, CENSOR) : line;
    for (const [shape, instead] of SECRET_SHAPES) clean = clean.replace(shape, instead);
    return clean;
  };
}

/**
 * @param name of the process
 * @param destination where lines go instead of standard output
 */
export function createLog(
  { logLevel, secrets }: Pick<Config, "logLevel" | "secrets">,
  name: string,
  destination?: DestinationStream,
): Logger {
  const redact = redactor(secrets);
  const options = {
    name,
    level: logLevel,
    // A driver's error carries its whole connection, statements included, so only listed fields of an error are logged.
    serializers: { err: shownError },
    redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: CENSOR },
    // What was done for one request has one trace, where traces are kept.
    mixin: () => traceIds() ?? {},
    // JSON leaves C1 controls and marks of direction as they are, and a terminal that shows the log would obey them.
    hooks: { streamWrite: (line: string) => withVisibleControls(redact(line)) },
  };
  return pino(options, destination ?? standardOutput());
}

/** Standard output. sonic-boom 4.2 repeats its last write for ever where nobody reads any more, and the process stays. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ sync: false });
  const flushSync = output.flushSync.bind(output);
  output.flushSync = () => {
    const { writeSync } = fs;
    const writeOrDrop = (fd: number, text: string) => {
      try {
        return writeSync(fd, text);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EPIPE") return Buffer.byteLength(text);
        throw error;
      }
    };
    fs.writeSync = writeOrDrop as typeof fs.writeSync;
    try {
      flushSync();
    } finally {
      fs.writeSync = writeSync;
    }
  };
  return output;
}

const shownError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return {
    type: name,
    message,
    stack,
    ...(code && { code }),
    ...(cause !== undefined && { cause: shownError(cause) }),
  };
};

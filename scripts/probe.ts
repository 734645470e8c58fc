/** `node scripts/probe.ts <url>`: exits 0 when the URL answers with success within three seconds; for health checks in images without curl. */
const TIMEOUT_MS = 3_000;

const url = process.argv[2];
if (!url) {
  console.error("Usage: node scripts/probe.ts <url>");
  process.exit(2);
}
try {
  const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!ok) console.error(`${url} answers with status ${status}.`);
  process.exit(ok ? 0 : 1);
} catch (error) {
  console.error(`${url} does not answer: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

/** A disk that is full: what is there is read, what is written is refused in plain words and leaves nothing behind. */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { until } from "../../harness/until.ts";
import { perFile } from "../support/started.ts";
import { apiForFile, HOST, refusal } from "./support/api.ts";
import { plantSpeaker } from "./support/speakers.ts";

const GROUP = "/api/v2/messages/groups/general";

const api = apiForFile({}, { provoked: true });
const speaker = perFile(() => plantSpeaker(api.pool, HOST, 60));

const send = (content: string, key: string) =>
  api.send("POST", `${GROUP}/send`, {
    headers: {
      ...{ authorization: speaker.authorization, "content-type": "application/json" },
      "idempotency-key": key,
    },
    body: JSON.stringify({ content }),
  });
/** What Postgres says when it cannot extend a table or its log. */
const failing = (state: string, message: string) => `
  create or replace function public.fail() returns trigger language plpgsql as $$ begin
    raise exception '${message}' using errcode = '${state}';
  end $$`;

it.each([
  ["the disk of the database is full", "53100", "could not extend file: No space left on device"],
  ["the log of the database cannot be written", "58030", "could not write to file pg_wal"],
  ["the database is out of memory", "53200", "out of memory"],
])("%s: writes are 503, reads go on, and the same request is taken once there is room", async (_, state, message) => {
  const [content, key] = [`after ${state}`, randomUUID()];
  await api.sql(failing(state, message));
  await api.sql(
    "create trigger full_disk before insert on offchain.message for each row execute function public.fail()",
  );
  const refused = await send(content, key);
  expect(refused).toMatchObject(refusal(503, "upstream_unavailable"));
  expect(refused.text).not.toMatch(/space|pg_wal|memory|file/);
  expect((await api.get(`${GROUP}/messages`)).status).toBe(200);
  expect((await api.get(`/api/v2/agent/${speaker.tokenId}`)).status).toBe(200);
  await api.sql("drop trigger full_disk on offchain.message");

  await until("the message is taken", async () => (await send(content, key)).status === 200);
  const rows = await api.sql("select count(*)::int as n from offchain.message where content = $1", content);
  expect(rows[0].n).toBe(1);
  expect(api.errors).toEqual([]);
});

/** The clients of list.ts that need nothing but this project's own dependencies, against the whole stack. `npm run clients` runs them all. */
import { expect, it } from "vitest";
import { nameOf } from "../../harness/client-libraries/client.ts";
import { CLIENTS } from "../../harness/client-libraries/list.ts";
import { runClient } from "../../harness/client-libraries/run.ts";
import { startWorld } from "../../harness/client-libraries/world.ts";
import { perFile } from "../support/started.ts";
import { CHROMIUM } from "../web/browser.ts";

const world = perFile(startWorld);

const quick = CLIENTS.filter((client) => client.quick);

// Without Chromium its clients cannot be run: a person's machine leaves them out, CI must not.
for (const client of quick)
  it.runIf(!client.browser || CHROMIUM || process.env.CI)(`${nameOf(client)} works unchanged`, async () => {
    const { passed, did } = await runClient(client, world);
    expect({ passed, did }).toEqual({ passed: "yes", did });
  });

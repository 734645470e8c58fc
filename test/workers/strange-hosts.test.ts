/** Strangers' hosts as they are: every odd but right one is read, and no hostile one gives more than it may. */
import { describe, expect, it } from "vitest";
import { openPublicHttp } from "../../clients/public-http.ts";
import { HOSTILE } from "../../harness/strange-hosts/hostile.ts";
import { ODD } from "../../harness/strange-hosts/odd.ts";
import { PLAIN } from "../../harness/strange-hosts/plain.ts";
import { plant } from "../../harness/strange-hosts/plant.ts";
import { readHost } from "../../harness/strange-hosts/read.ts";
import { perFile } from "../support/started.ts";
import { IMPATIENT, PATIENT } from "../support/time-limits.ts";

const planted = perFile(() => plant([...PLAIN, ...ODD, ...HOSTILE]));
const patient = perFile(() => openPublicHttp({ userAgent: "tests", loopback: true, limits: PATIENT }));
/** For hosts that only their time ends. */
const impatient = perFile(() => openPublicHttp({ userAgent: "tests", loopback: true, limits: IMPATIENT }));

describe.each([
  ["a plain host", PLAIN],
  ["a host that is odd but right", ODD],
] as const)("%s gives its offers", (_, hosts) => {
  it.each(hosts.map((host) => [host.name, host] as const))("%s", async (name, { kind, offers }) => {
    const found = await readHost(patient, kind, planted.urls[name]!);
    expect(found).toMatchObject({ status: "read", answers: true, offers });
  });
});

describe("a hostile host ends without an offer, or with as many as are read of any", () => {
  it.each(HOSTILE.map((host) => [host.name, host] as const))("%s", async (name, { kind, mostOffers, endless }) => {
    const found = await readHost(endless ? impatient : patient, kind, planted.urls[name]!);
    expect(found.offers.length).toBeLessThanOrEqual(mostOffers);
    expect(planted.asked(name)).toBeLessThanOrEqual(9);
    // What gives nothing says why.
    if (found.offers.length === 0 && found.status !== "read") expect(found.why).toMatch(/./);
  });
});

/** Process with all planted hosts: the reader's CPU does not include theirs. It sends its parent the list of hosts and, on request, how often one was asked. */
import { HOSTILE } from "../../harness/strange-hosts/hostile.ts";
import { ODD } from "../../harness/strange-hosts/odd.ts";
import type { HostileHost, RightHost } from "../../harness/strange-hosts/parts.ts";
import { PLAIN } from "../../harness/strange-hosts/plain.ts";
import { plant } from "../../harness/strange-hosts/plant.ts";

export type Right = Pick<RightHost, "name" | "kind" | "offers"> & { url: string };
export type Hostile = Pick<HostileHost, "name" | "kind" | "mostOffers" | "endless"> & { url: string };
export type HostsMessage = { plain: Right[]; odd: Right[]; hostile: Hostile[] };

const planted = await plant([...PLAIN, ...ODD, ...HOSTILE]);
// Of a host only its data pass to another process.
const described = <T extends { name: string }>(hosts: readonly T[]) =>
  hosts.map((host) => ({ ...(JSON.parse(JSON.stringify(host)) as T), url: planted.urls[host.name]! }));
process.send!({ plain: described(PLAIN), odd: described(ODD), hostile: described(HOSTILE) } satisfies HostsMessage);
process.on("message", (name: string) => process.send!({ asked: planted.asked(name) }));

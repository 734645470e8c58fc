/** Process with all planted hosts, so that what they do costs the reader nothing; it tells its parent where they are and what they were asked. */
import { HOSTILE } from "../../harness/strange-hosts/hostile.ts";
import { ODD } from "../../harness/strange-hosts/odd.ts";
import { PLAIN } from "../../harness/strange-hosts/plain.ts";
import { plant } from "../../harness/strange-hosts/plant.ts";

const planted = await plant([...PLAIN, ...ODD, ...HOSTILE]);
process.send!({ urls: planted.urls });
process.on("message", (name: string) => process.send!({ asked: planted.asked(name) }));
process.on("disconnect", () => process.exit());

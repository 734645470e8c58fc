/** Process that makes one snapshot and dies at a fault point. Arguments: the database's URL, the folder, the point. */
import { faultAt } from "../../../runtime/faults.ts";
import { makeSnapshot } from "../../../workers/snapshots/snapshots.ts";
import { CONTEXT, snapshotOf } from "./snapshot-context.ts";

const [url, folder, point] = process.argv.slice(2);
await makeSnapshot({ ...CONTEXT, fault: faultAt(point) }, snapshotOf(url!, folder!));

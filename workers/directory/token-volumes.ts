/** Keeps the dollars that tokens traded on each of the last 30 days, which the directory's longer windows of trending add up. */
import { storeVolumes } from "../../db/directory/volumes.ts";
import { defineJob } from "../job.ts";

export const tokenVolumes = defineJob({
  name: "token-volumes",
  // Each run replaces the day's value: the last one of a day counts.
  schedule: { everyMs: 900_000 },
  run: ({ db, clock }) => storeVolumes(db, clock()),
});

/** A process of its own that draws the card it is given and tells the digest of the bytes. */
import { createHash } from "node:crypto";
import { createPaint } from "../../../card-renderer/paint.ts";

process.once("message", async (request: Parameters<ReturnType<typeof createPaint>>) => {
  const bytes = await createPaint()(...request);
  process.send!(createHash("sha256").update(bytes).digest("hex"), () => process.disconnect());
});

/** Fault points: named places where a crash test may kill the process, so that recovery is tested at every step. */

/** Marks a step; kills the process with SIGKILL when this point is the armed one, does nothing otherwise. */
export type Fault = (point: string) => void;

/** As `FAULT_POINT`: the parent will name the point, while the process runs; it sends `{ faultPoint }` and gets it back. */
export const NAMED_BY_PARENT = "named-by-parent";

/** @param point of `FAULT_POINT`; undefined in every real deployment. */
export function faultAt(point: string | undefined): Fault {
  let armed = point;
  if (point === NAMED_BY_PARENT)
    process.on("message", ({ faultPoint }: { faultPoint: string }) => {
      armed = faultPoint;
      process.send?.({ faultPoint });
    });
  return (reached) => {
    if (reached === armed) process.kill(process.pid, "SIGKILL");
  };
}

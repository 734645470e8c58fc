/** Fault points: named places where a crash test may kill the process, so that recovery is tested at every step. */

/** Marks a step; kills the process with SIGKILL when this point is the armed one, does nothing otherwise. */
export type Fault = (point: string) => void;

/** @param armed the point of `FAULT_POINT`; undefined in every real deployment. */
export const faultAt =
  (armed: string | undefined): Fault =>
  (point) => {
    if (point === armed) process.kill(process.pid, "SIGKILL");
  };

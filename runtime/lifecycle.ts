/** Start and end of a process: it reports when it is up, and ends on a signal or when its supervisor is gone. */

/** Max milliseconds for a process to end. */
export const DEADLINE_MS = 10_000;

/** What a process that is up says to the supervisor that started it. */
export const UP = "up";

/** Reports to the supervisor, where there is one, that this process does its work now. If it is gone, `onShutdown` ends the process. */
export const sayUp = () => void process.send?.(UP, undefined, {}, () => {});

const ALIVE_MS = 1_000;

/** Reports to the supervisor every second from now on, so that it sees a blocked event loop. */
export const sayAlive = () => void setInterval(sayUp, ALIVE_MS).unref();

/**
 * Runs `stop` once when the process is asked to end, then exits 0; exits 1 when stopping takes too long or fails.
 * SIGTERM and SIGINT ask for it, and so does the loss of the supervisor's channel, so that no process outlives a killed supervisor.
 */
export function onShutdown(stop: () => Promise<void>): void {
  let isStopping = false;
  const shutdown = () => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => exit(1), DEADLINE_MS).unref();
    stop().then(
      () => exit(0),
      (error) => {
        console.error(error);
        exit(1);
      },
    );
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, shutdown);
  if (process.send === undefined) return;
  // The supervisor may be gone already; then no event would follow.
  if (process.connected) process.on("disconnect", shutdown);
  else shutdown();
}

/** Ends this process, also where what a package does at the end fails. */
function exit(code: number): void {
  try {
    process.exit(code);
  } catch {
    process.kill(process.pid, "SIGKILL");
  }
}

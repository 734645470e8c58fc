/** Preloaded into the Ponder process: it ends when the launcher has ended, so that no process writes without the lock. */

// By a signal: an exit waits for threads of native modules, which may wait for each other for ever.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
// The IPC channel only signals the end of the launcher; it must not keep a finished process alive.
process.channel?.unref();

/** Preloaded into the Ponder process: it exits when the launcher has ended, so that no process writes without the lock. */

process.on("disconnect", () => process.exit(0));
// The IPC channel only signals the end of the launcher; it must not keep a finished process alive.
process.channel?.unref();

/** Preloaded into the Ponder process: it ends at once when the launcher is gone, so that nobody writes without the lock. */

process.on("disconnect", () => process.exit(0));
// The channel is a lifeline only; it must not keep a finished process alive.
process.channel?.unref();

/**
 * Configuration of the Vite inside Ponder, which compiles `src/`: without it Vite watches every file below the project, a
 * local database's included, for changes that `ponder start` does not use. (The web terminal has its own, in `web/`.)
 * It is CommonJS because Vite writes the compiled form of a module into its folder, and the image's folder is read-only.
 */
module.exports = { server: { watch: null } };

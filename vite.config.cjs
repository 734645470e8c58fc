/**
 * Of the Vite inside Ponder, which compiles `src/`: without this it watches every file below the project, a local
 * database's included, for changes that `ponder start` never looks at. (The web terminal has its own, in `web/`.)
 * It is CommonJS because Vite writes the compiled form of a module beside it, and the image's folder is read-only.
 */
module.exports = { server: { watch: null } };

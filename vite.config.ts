/**
 * Of the Vite inside Ponder, which compiles `src/`: without this it watches every file below the project, a local
 * database's included, for changes that `ponder start` never looks at. (The web terminal has its own, in `web/`.)
 */
export default { server: { watch: null } };

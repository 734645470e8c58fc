/** Meanings in all their cases. */
import "./meanings.test.ts";

/** The quality of the search over a larger directory, with every question. */
import "./quality.test.ts";

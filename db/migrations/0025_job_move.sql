CREATE TABLE "offchain"."job_move" (
	"name" text PRIMARY KEY NOT NULL,
	"moved_at" timestamp with time zone NOT NULL
);

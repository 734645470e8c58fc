CREATE TABLE "offchain"."cred_history_period" (
	"number" bigint PRIMARY KEY NOT NULL,
	"began_at" timestamp with time zone NOT NULL
);

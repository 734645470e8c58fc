CREATE TABLE "offchain"."discovery_meaning" (
	"directory_id" bigint PRIMARY KEY NOT NULL,
	"digest" "bytea" NOT NULL,
	"model" text NOT NULL,
	"read_at" timestamp with time zone NOT NULL,
	"signs" "varbit"
);
--> statement-breakpoint
CREATE TABLE "offchain"."discovery_vector" (
	"digest" "bytea" PRIMARY KEY NOT NULL,
	"model" text NOT NULL,
	"asked_at" timestamp with time zone NOT NULL,
	"asks" smallint NOT NULL,
	"answered_at" timestamp with time zone,
	"vector" "bytea"
);
--> statement-breakpoint
CREATE INDEX "discovery_meaning_digest" ON "offchain"."discovery_meaning" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "discovery_vector_answered" ON "offchain"."discovery_vector" USING btree ("model","digest") WHERE vector is not null;
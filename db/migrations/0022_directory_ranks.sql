CREATE TABLE "offchain"."directory_rank" (
	"id" bigint NOT NULL,
	"day" date NOT NULL,
	"rank" integer NOT NULL,
	CONSTRAINT "directory_rank_id_day_pk" PRIMARY KEY("id","day")
);
--> statement-breakpoint
CREATE INDEX "directory_rank_day" ON "offchain"."directory_rank" USING btree ("day");
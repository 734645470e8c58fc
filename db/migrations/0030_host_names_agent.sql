CREATE TABLE "offchain"."host_file" (
	"origin" text PRIMARY KEY NOT NULL,
	"names" bigint[] DEFAULT '{}' NOT NULL,
	"trust" smallint NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"checked_at" timestamp with time zone,
	"next_try_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "offchain"."offer_source" ADD COLUMN "confirmed_by" text;--> statement-breakpoint
CREATE INDEX "host_file_due" ON "offchain"."host_file" USING btree ("trust","next_try_at");--> statement-breakpoint
-- Which agents a file is about is kept from now on: it is read as a whole at its next read (READER of db/directory/erc8004.ts).
update offchain.registration_file set etag = null, last_modified = null where etag is not null or last_modified is not null;

CREATE TABLE "offchain"."host_file" (
	"origin" text PRIMARY KEY NOT NULL,
	"names" uuid[] DEFAULT '{}' NOT NULL,
	"trust" smallint NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"checked_at" timestamp with time zone,
	"next_try_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "host_file_due" ON "offchain"."host_file" USING btree ("trust","next_try_at");

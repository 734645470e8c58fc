CREATE TABLE "offchain"."offer" (
	"directory_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"source" text NOT NULL,
	"position" smallint NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"endpoint" text,
	"price_usd" numeric,
	"price" jsonb,
	"input_schema" jsonb,
	CONSTRAINT "offer_directory_id_kind_source_position_pk" PRIMARY KEY("directory_id","kind","source","position")
);
--> statement-breakpoint
CREATE TABLE "offchain"."offer_progress" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"round_to" bigint DEFAULT 0 NOT NULL,
	"new_to" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."offer_source" (
	"directory_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"url" text NOT NULL,
	"host" text NOT NULL,
	"trust" smallint NOT NULL,
	"status" text DEFAULT 'waiting' NOT NULL,
	"etag" text,
	"last_modified" text,
	"digest" text,
	"failures" integer DEFAULT 0 NOT NULL,
	"answered_at" timestamp with time zone,
	"silent_since" timestamp with time zone,
	"checked_at" timestamp with time zone,
	"next_try_at" timestamp with time zone NOT NULL,
	"why" text,
	CONSTRAINT "offer_source_directory_id_kind_url_pk" PRIMARY KEY("directory_id","kind","url")
);
--> statement-breakpoint
ALTER TABLE "offchain"."offer" ADD CONSTRAINT "offer_directory_id_directory_id_fk" FOREIGN KEY ("directory_id") REFERENCES "offchain"."directory"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."offer_source" ADD CONSTRAINT "offer_source_directory_id_directory_id_fk" FOREIGN KEY ("directory_id") REFERENCES "offchain"."directory"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "offer_source_due" ON "offchain"."offer_source" USING btree ("trust","next_try_at");--> statement-breakpoint
CREATE INDEX "offer_source_url" ON "offchain"."offer_source" USING btree (hashtextextended(url, 0));
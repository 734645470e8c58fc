CREATE TABLE "offchain"."offer_change" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "offchain"."offer_change_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"key" "bytea" NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"changes" integer DEFAULT 1 NOT NULL,
	"hash" text NOT NULL,
	"change" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."offer_version" (
	"key" "bytea" PRIMARY KEY NOT NULL,
	"source" text NOT NULL,
	"hash" text NOT NULL,
	"version" jsonb NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"unnamed_since" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "offchain"."offer_change" ADD CONSTRAINT "offer_change_key_offer_version_key_fk" FOREIGN KEY ("key") REFERENCES "offchain"."offer_version"("key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "offer_change_key" ON "offchain"."offer_change" USING btree ("key","id");--> statement-breakpoint
-- A conditional request would never give the first version, which the first change is compared with.
UPDATE "offchain"."offer_source" SET "etag" = NULL, "last_modified" = NULL;

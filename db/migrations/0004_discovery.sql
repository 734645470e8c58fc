CREATE TABLE "offchain"."discovery_document" (
	"directory_id" bigint PRIMARY KEY NOT NULL,
	"words" "tsvector" NOT NULL,
	"trust" smallint NOT NULL,
	"factors" smallint[] NOT NULL,
	"platform" text NOT NULL,
	"chain_id" integer,
	"cred" smallint NOT NULL,
	"verified" boolean NOT NULL,
	"speaks" smallint NOT NULL,
	"price_usd" double precision,
	"owner" text,
	"name_key" bigint,
	"text_key" bigint,
	"simhash" bigint,
	"copy" boolean NOT NULL,
	"registered_at" timestamp with time zone,
	"written_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."discovery_progress" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"seen_xmax" text NOT NULL,
	"seen_in_progress" text[] NOT NULL,
	"filled_to" bigint,
	"refreshed_to" bigint DEFAULT 0 NOT NULL,
	"counted_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "offchain"."discovery_word" (
	"word" text PRIMARY KEY NOT NULL,
	"written" boolean NOT NULL,
	"documents" integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX "discovery_document_words" ON "offchain"."discovery_document" USING gin ("words") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "discovery_document_text" ON "offchain"."discovery_document" USING btree ("text_key","registered_at","directory_id") WHERE text_key is not null;--> statement-breakpoint
CREATE INDEX "discovery_word_prefix" ON "offchain"."discovery_word" USING btree (word collate "C") WHERE written;
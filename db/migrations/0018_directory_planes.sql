CREATE TABLE "offchain"."directory_image" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"layout" text NOT NULL,
	"seen_xmax" "xid8" NOT NULL,
	"seen_in_progress" "xid8"[] NOT NULL,
	"segments" integer NOT NULL,
	"segment_bits" integer NOT NULL,
	"used" integer NOT NULL,
	"built" integer NOT NULL,
	"renamed" integer NOT NULL,
	"max_id" bigint NOT NULL,
	"name_marks" text[] NOT NULL,
	"folded_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."directory_plane" (
	"plane" text NOT NULL,
	"segment" integer NOT NULL,
	"bits" bit varying NOT NULL,
	CONSTRAINT "directory_plane_plane_segment_pk" PRIMARY KEY("plane","segment")
);
--> statement-breakpoint
CREATE TABLE "offchain"."directory_slot" (
	"id" bigint PRIMARY KEY NOT NULL,
	"slot" integer,
	"loose" boolean NOT NULL,
	"search_name" text NOT NULL,
	"code" "bytea" NOT NULL
);
--> statement-breakpoint
DROP INDEX "offchain"."directory_owner";--> statement-breakpoint
CREATE UNIQUE INDEX "directory_slot_slot" ON "offchain"."directory_slot" USING btree ("slot");--> statement-breakpoint
CREATE INDEX "directory_slot_loose" ON "offchain"."directory_slot" USING btree ("id") WHERE loose;--> statement-breakpoint
CREATE INDEX "directory_owner" ON "offchain"."directory" USING btree (owner_address collate "C") WHERE owner_address is not null;
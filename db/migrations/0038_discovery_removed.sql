CREATE TABLE "offchain"."discovery_removed" (
	"directory_id" bigint PRIMARY KEY NOT NULL,
	"text_key" bigint,
	"text_since" timestamp with time zone,
	"name_key" bigint,
	"name_since" timestamp with time zone
);

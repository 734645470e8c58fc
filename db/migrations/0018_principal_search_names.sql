ALTER TABLE "offchain"."human" ADD COLUMN "search_name" text GENERATED ALWAYS AS (case when octet_length(name) = char_length(name) then lower(name) else
  replace(replace(replace(translate(
    lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g') collate "und-x-icu"),
    'øłđħŧıς', 'oldhtiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe') end) STORED;--> statement-breakpoint
ALTER TABLE "offchain"."organization" ADD COLUMN "search_name" text GENERATED ALWAYS AS (case when octet_length(display_name) = char_length(display_name) then lower(display_name) else
  replace(replace(replace(translate(
    lower(regexp_replace(normalize(display_name, NFKD), '[\u0300-\u036f]', '', 'g') collate "und-x-icu"),
    'øłđħŧıς', 'oldhtiσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe') end) STORED;
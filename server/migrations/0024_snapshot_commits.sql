ALTER TABLE `source_snapshots` ADD `commit` text;--> statement-breakpoint
ALTER TABLE `sources` ADD `code_host` text DEFAULT 'none' NOT NULL;
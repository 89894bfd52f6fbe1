CREATE TABLE `data_keys` (
	`scope` text NOT NULL,
	`version` integer NOT NULL,
	`master_key_id` text NOT NULL,
	`wrapped` blob NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`scope`, `version`),
	FOREIGN KEY (`master_key_id`) REFERENCES `master_keys`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `data_keys_master` ON `data_keys` (`master_key_id`,`scope`,`version`);--> statement-breakpoint
CREATE TABLE `installation_secrets` (
	`purpose` text PRIMARY KEY NOT NULL,
	`sealed` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `key_jobs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`column` text NOT NULL,
	`after` text NOT NULL,
	`resealed` integer NOT NULL,
	`unreadable` integer NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `master_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`state` text NOT NULL,
	`params` text,
	`canary` blob NOT NULL,
	`made` integer NOT NULL,
	`keychain_missed` text,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `master_keys_active` ON `master_keys` (`state`) WHERE state = 'active';
CREATE TABLE `nats_authority` (
	`id` integer PRIMARY KEY NOT NULL,
	`sealed` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `remote_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`machine_id` text NOT NULL,
	`ticket` text NOT NULL,
	`run_key` blob NOT NULL,
	`claimed_at` integer NOT NULL,
	`permitted_at` integer,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `remote_jobs_machine` ON `remote_jobs` (`machine_id`,`id`);--> statement-breakpoint
CREATE INDEX `remote_jobs_run` ON `remote_jobs` (`run_id`);
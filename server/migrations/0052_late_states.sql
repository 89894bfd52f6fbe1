CREATE TABLE `late_states` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`run_id` text NOT NULL,
	`machine_id` text NOT NULL,
	`serial` integer NOT NULL,
	`resource_count` integer NOT NULL,
	`state_digest` text NOT NULL,
	`state` blob,
	`arrived_at` integer NOT NULL,
	`restore_run_id` text,
	`end` text,
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `late_states_id_unique` ON `late_states` (`id`);--> statement-breakpoint
CREATE INDEX `late_states_capsule` ON `late_states` (`capsule_id`,`seq`);--> statement-breakpoint
CREATE UNIQUE INDEX `late_states_run` ON `late_states` (`run_id`,`state_digest`);--> statement-breakpoint
CREATE INDEX `late_states_restore` ON `late_states` (`restore_run_id`);--> statement-breakpoint
CREATE INDEX `late_states_undecided` ON `late_states` (`arrived_at`) WHERE "end" IS NULL;--> statement-breakpoint
ALTER TABLE `remote_jobs` ADD `voided_at` integer;--> statement-breakpoint
ALTER TABLE `restores` ADD `late_run_id` text;
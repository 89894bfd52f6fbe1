CREATE TABLE `auto_updates` (
	`capsule_id` text NOT NULL,
	`snapshot_id` text NOT NULL,
	`step` text NOT NULL,
	`run_id` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`capsule_id`, `snapshot_id`),
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `auto_updates_open` ON `auto_updates` (`created_at`) WHERE step <> 'done';
CREATE TABLE `drift_marks` (
	`capsule_id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`status` text NOT NULL,
	`run_id` text NOT NULL,
	`checked_at` integer NOT NULL,
	`changed` integer NOT NULL,
	`deleted` integer NOT NULL,
	`digest` text,
	`acknowledged_digest` text,
	`acknowledged_by` text,
	`acknowledged_at` integer,
	`reason` text,
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `drift_marks_open` ON `drift_marks` (`workspace_id`,`checked_at`,`capsule_id`) WHERE status <> 'none';--> statement-breakpoint
CREATE TABLE `drift_schedules` (
	`capsule_id` text PRIMARY KEY NOT NULL,
	`period_ms` integer NOT NULL,
	`due_at` integer NOT NULL,
	`is_refused` integer NOT NULL,
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `drift_schedules_due` ON `drift_schedules` (`due_at`);--> statement-breakpoint
ALTER TABLE `capsules` ADD `drift_schedule` text;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `drift_schedule` text;
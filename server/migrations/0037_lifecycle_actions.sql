CREATE TABLE `lifecycle_actions` (
	`run_id` text NOT NULL,
	`position` integer NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`action_id` text NOT NULL,
	`phase` text NOT NULL,
	`executor` text NOT NULL,
	`invoked` integer NOT NULL,
	`journal_offset` integer DEFAULT 0 NOT NULL,
	`result` text,
	`is_end_known` integer DEFAULT true NOT NULL,
	`evidence` text NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	PRIMARY KEY(`run_id`, `position`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `lifecycle_actions_capsule` ON `lifecycle_actions` (`capsule_id`,`action_id`);
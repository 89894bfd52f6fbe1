CREATE TABLE `imports` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`digest` text NOT NULL,
	`summary` text NOT NULL,
	`state` blob,
	`capsule_id` text,
	`run_id` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `imports_id_unique` ON `imports` (`id`);--> statement-breakpoint
CREATE INDEX `imports_workspace` ON `imports` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE INDEX `imports_digest` ON `imports` (`workspace_id`,`digest`);--> statement-breakpoint
CREATE INDEX `imports_run` ON `imports` (`run_id`);--> statement-breakpoint
CREATE INDEX `imports_untouched` ON `imports` (`updated_at`) WHERE capsule_id IS NULL;
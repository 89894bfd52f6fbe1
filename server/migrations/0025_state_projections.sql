CREATE TABLE `late_marks` (
	`capsule_id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`marks` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `projection_pages` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`state_version_id` text NOT NULL,
	`number` integer NOT NULL,
	`page` blob NOT NULL,
	FOREIGN KEY (`state_version_id`) REFERENCES `state_projections`(`state_version_id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `projection_pages_number` ON `projection_pages` (`state_version_id`,`number`);--> statement-breakpoint
CREATE TABLE `resource_changes` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`generation` integer NOT NULL,
	`state_version_id` text NOT NULL,
	`address_digest` text NOT NULL,
	`previous_digest` text,
	`change` text NOT NULL,
	`addresses` blob,
	FOREIGN KEY (`state_version_id`) REFERENCES `state_versions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `resource_changes_address` ON `resource_changes` (`capsule_id`,`address_digest`,`generation`);--> statement-breakpoint
CREATE INDEX `resource_changes_previous` ON `resource_changes` (`capsule_id`,`previous_digest`,`generation`);--> statement-breakpoint
CREATE INDEX `resource_changes_generation` ON `resource_changes` (`capsule_id`,`generation`);--> statement-breakpoint
CREATE TABLE `state_projections` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`state_version_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`generation` integer NOT NULL,
	`status` text NOT NULL,
	`secrets` blob,
	`head` blob,
	`resource_count` integer NOT NULL,
	`page_count` integer NOT NULL,
	FOREIGN KEY (`state_version_id`) REFERENCES `state_versions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `state_projections_state_version_id_unique` ON `state_projections` (`state_version_id`);--> statement-breakpoint
CREATE INDEX `state_projections_status` ON `state_projections` (`status`,`seq`);--> statement-breakpoint
CREATE INDEX `state_projections_capsule` ON `state_projections` (`capsule_id`,`generation`);
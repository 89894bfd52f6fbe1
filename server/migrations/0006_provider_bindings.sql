CREATE TABLE `provider_binding_sets` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`environment` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `provider_binding_sets_capsule_id_unique` ON `provider_binding_sets` (`capsule_id`);--> statement-breakpoint
CREATE TABLE `provider_bindings` (
	`set_id` text NOT NULL,
	`position` integer NOT NULL,
	`provider` text NOT NULL,
	`module_local_name` text NOT NULL,
	`child_alias` text,
	`connection_id` text NOT NULL,
	PRIMARY KEY(`set_id`, `position`),
	FOREIGN KEY (`set_id`) REFERENCES `provider_binding_sets`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `provider_bindings_connection` ON `provider_bindings` (`connection_id`,`set_id`);--> statement-breakpoint
CREATE TABLE `run_credentials` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`sealed` blob NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;

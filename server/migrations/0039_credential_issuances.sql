CREATE TABLE `credential_issuances` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`run_id` text NOT NULL,
	`connection_id` text NOT NULL,
	`recipe_id` text NOT NULL,
	`request` text NOT NULL,
	`credential_id` text,
	`tries` integer DEFAULT 0 NOT NULL,
	`due_at` integer DEFAULT 0 NOT NULL,
	`give_up_at` integer,
	FOREIGN KEY (`connection_id`) REFERENCES `connections`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `credential_issuances_run` ON `credential_issuances` (`run_id`);--> statement-breakpoint
CREATE TABLE `minted_secrets` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`sealed` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `minted_secrets_newest` ON `minted_secrets` (`capsule_id`,`created_at`,`id`);
CREATE TABLE `oidc_consent_requests` (
	`id_hash` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`account_id` text NOT NULL,
	`client_id` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`workspace_id` text NOT NULL,
	`scopes` text NOT NULL,
	`search` text NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `oidc_consent_requests_expiry` ON `oidc_consent_requests` (`expires_at`);--> statement-breakpoint
CREATE TABLE `oidc_consents` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`client_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `oidc_consents_of` ON `oidc_consents` (`account_id`,`client_id`,`workspace_id`);--> statement-breakpoint
CREATE TABLE `oidc_grants` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`client_id` text NOT NULL,
	`workspace_id` text,
	`scopes` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `oidc_grants_account` ON `oidc_grants` (`account_id`,`client_id`);--> statement-breakpoint
CREATE INDEX `oidc_grants_expiry` ON `oidc_grants` (`expires_at`);--> statement-breakpoint
CREATE TABLE `oidc_keys` (
	`kid` text PRIMARY KEY NOT NULL,
	`x` text NOT NULL,
	`y` text NOT NULL,
	`secret` blob NOT NULL,
	`created_at` integer NOT NULL,
	`replaced_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `oidc_keys_created` ON `oidc_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `oidc_records` (
	`id` text PRIMARY KEY NOT NULL,
	`payload` blob NOT NULL,
	`grant_id` text,
	`consumed_at` integer,
	`expires_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `oidc_records_grant` ON `oidc_records` (`grant_id`);--> statement-breakpoint
CREATE INDEX `oidc_records_expiry` ON `oidc_records` (`expires_at`);
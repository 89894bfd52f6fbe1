CREATE TABLE `oidc_capsule_clients` (
	`capsule_id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`client_id` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`scopes` text NOT NULL,
	`execution_authority_epoch` integer NOT NULL,
	`install_config_digest` text NOT NULL,
	`digest` text NOT NULL,
	`run_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `oidc_capsule_clients_client` ON `oidc_capsule_clients` (`client_id`);
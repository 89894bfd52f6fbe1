CREATE TABLE `audit_events` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text,
	`actor_id` text,
	`action` text NOT NULL,
	`target_type` text NOT NULL,
	`target_id` text NOT NULL,
	`run_id` text,
	`metadata` text NOT NULL,
	`created_at` integer NOT NULL,
	`prev_hash` text NOT NULL,
	`hash` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_events_id_unique` ON `audit_events` (`id`);--> statement-breakpoint
CREATE INDEX `audit_workspace` ON `audit_events` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE TABLE `audit_head` (
	`one` integer PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`hash` text NOT NULL,
	`mac` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `capsules` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`environment` text NOT NULL,
	`source_id` text NOT NULL,
	`install_config_id` text NOT NULL,
	`status` text NOT NULL,
	`current_state_version_id` text,
	`current_state_generation` integer NOT NULL,
	`execution_authority_epoch` integer NOT NULL,
	`runtime_safety` text,
	`compatibility_report_id` text,
	`compatibility_status` text,
	`auto_update` integer,
	`adopted_source_revision` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `capsules_name` ON `capsules` (`project_id`,`name`,`environment`) WHERE status <> 'destroyed';--> statement-breakpoint
CREATE INDEX `capsules_workspace` ON `capsules` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `capsules_source` ON `capsules` (`source_id`);--> statement-breakpoint
CREATE TABLE `install_configs` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text,
	`name` text NOT NULL,
	`derived` integer NOT NULL,
	`module_path` text,
	`provenance` text,
	`variable_mapping` text NOT NULL,
	`secret_variables` text NOT NULL,
	`secrets` blob,
	`policy` text NOT NULL,
	`all_outputs` integer NOT NULL,
	`digest` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `install_configs_workspace` ON `install_configs` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `install_plans` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`created_by` text NOT NULL,
	`key_digest` text NOT NULL,
	`request_digest` text NOT NULL,
	`request` text NOT NULL,
	`variables` blob,
	`secret_variables` text NOT NULL,
	`phase` text NOT NULL,
	`generation` integer NOT NULL,
	`facts` text NOT NULL,
	`diagnostic` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`completed_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `install_plans_id_unique` ON `install_plans` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `install_plans_key` ON `install_plans` (`workspace_id`,`created_by`,`key_digest`);--> statement-breakpoint
CREATE INDEX `install_plans_workspace` ON `install_plans` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE TABLE `plan_artifacts` (
	`run_id` text PRIMARY KEY NOT NULL,
	`capsule_id` text NOT NULL,
	`plan_file_digest` text NOT NULL,
	`lock` text NOT NULL,
	`lock_digest` text NOT NULL,
	`requirements_digest` text NOT NULL,
	`state_lineage` text NOT NULL,
	`state_serial` integer NOT NULL,
	`tool_name` text NOT NULL,
	`tool_version` text NOT NULL,
	`config_digest` text NOT NULL,
	`addresses` text NOT NULL,
	`document` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`display_name` text,
	`email` text,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_email_unique` ON `accounts` (`email`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`subject` text NOT NULL,
	`user_agent` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`revoked_at` integer,
	FOREIGN KEY (`subject`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_token_hash_unique` ON `sessions` (`token_hash`);--> statement-breakpoint
CREATE INDEX `sessions_subject` ON `sessions` (`subject`,`created_at`);--> statement-breakpoint
CREATE TABLE `sign_in_links` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`subject` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`subject`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `installation` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `outbox` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`workspace_id` text NOT NULL,
	`kind` text NOT NULL,
	`record_id` text NOT NULL,
	`status` text,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `outbox_workspace` ON `outbox` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE TABLE `receipts` (
	`scope` text NOT NULL,
	`actor` text NOT NULL,
	`route` text NOT NULL,
	`key_digest` text NOT NULL,
	`request_digest` text NOT NULL,
	`status` integer NOT NULL,
	`body` blob,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`scope`, `actor`, `route`, `key_digest`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `receipts_expiry` ON `receipts` (`expires_at`);--> statement-breakpoint
CREATE TABLE `run_feed` (
	`run_id` text NOT NULL,
	`seq` integer NOT NULL,
	`kind` text NOT NULL,
	`at` integer NOT NULL,
	`payload` text NOT NULL,
	PRIMARY KEY(`run_id`, `seq`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `runs` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`type` text NOT NULL,
	`status` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	`heartbeat_at` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`capsule_id` text,
	`source_id` text,
	`plan_run_id` text,
	`apply_run_id` text,
	`execution_authority_epoch` integer,
	`base_state_generation` integer,
	`plan_digest` text,
	`plan_expires_at` integer,
	`superseded_at` integer,
	`superseded_reason` text,
	`error_code` text,
	`facts` text NOT NULL,
	`detail` text NOT NULL,
	`input` text NOT NULL,
	`journal_offset` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `runs_id_unique` ON `runs` (`id`);--> statement-breakpoint
CREATE INDEX `runs_workspace` ON `runs` (`workspace_id`,`seq`);--> statement-breakpoint
CREATE INDEX `runs_capsule` ON `runs` (`capsule_id`,`seq`);--> statement-breakpoint
CREATE INDEX `runs_source` ON `runs` (`source_id`,`seq`);--> statement-breakpoint
CREATE INDEX `runs_status` ON `runs` (`status`,`seq`);--> statement-breakpoint
CREATE TABLE `compatibility_reports` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`source_id` text NOT NULL,
	`snapshot_id` text NOT NULL,
	`module_path` text NOT NULL,
	`tool` text NOT NULL,
	`run_id` text NOT NULL,
	`report` text NOT NULL,
	`root_view` text NOT NULL,
	FOREIGN KEY (`snapshot_id`) REFERENCES `source_snapshots`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `compatibility_reports_id_unique` ON `compatibility_reports` (`id`);--> statement-breakpoint
CREATE INDEX `reports_module` ON `compatibility_reports` (`snapshot_id`,`module_path`,`seq`);--> statement-breakpoint
CREATE TABLE `snapshot_scans` (
	`snapshot_id` text NOT NULL,
	`tool` text NOT NULL,
	`result` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`snapshot_id`, `tool`),
	FOREIGN KEY (`snapshot_id`) REFERENCES `source_snapshots`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `source_lanes` (
	`source_id` text NOT NULL,
	`ref` text NOT NULL,
	`path` text NOT NULL,
	`snapshot_id` text NOT NULL,
	`synced_at` integer NOT NULL,
	PRIMARY KEY(`source_id`, `ref`, `path`),
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `source_snapshots` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`source_id` text NOT NULL,
	`url` text NOT NULL,
	`ref` text NOT NULL,
	`resolved_commit` text NOT NULL,
	`path` text NOT NULL,
	`archive_digest` text NOT NULL,
	`archive_size_bytes` integer NOT NULL,
	`repository_manifest` text NOT NULL,
	`left_out` text NOT NULL,
	`fetched_by_run_id` text NOT NULL,
	`fetched_at` integer NOT NULL,
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `source_snapshots_id_unique` ON `source_snapshots` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `snapshots_address` ON `source_snapshots` (`source_id`,`resolved_commit`,`ref`,`path`);--> statement-breakpoint
CREATE INDEX `snapshots_source` ON `source_snapshots` (`source_id`,`seq`);--> statement-breakpoint
CREATE TABLE `sources` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`url` text NOT NULL,
	`default_ref` text NOT NULL,
	`default_path` text NOT NULL,
	`status` text NOT NULL,
	`auto_sync` integer NOT NULL,
	`hook_secret` blob NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `sources_workspace` ON `sources` (`workspace_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `sources_url` ON `sources` (`workspace_id`,`url`);--> statement-breakpoint
CREATE TABLE `outputs` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`state_version_id` text NOT NULL,
	`state_generation` integer NOT NULL,
	`public_outputs` text NOT NULL,
	`workspace_outputs` text NOT NULL,
	`output_digest` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`state_version_id`) REFERENCES `state_versions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `outputs_state_version_id_unique` ON `outputs` (`state_version_id`);--> statement-breakpoint
CREATE TABLE `state_versions` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`environment` text NOT NULL,
	`generation` integer NOT NULL,
	`created_by_run_id` text NOT NULL,
	`source_snapshot_id` text,
	`resource_count` integer NOT NULL,
	`partial` integer NOT NULL,
	`lineage` text NOT NULL,
	`serial` integer NOT NULL,
	`tool_name` text NOT NULL,
	`state_digest` text NOT NULL,
	`state` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `state_versions_id_unique` ON `state_versions` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `state_versions_generation` ON `state_versions` (`capsule_id`,`generation`);--> statement-breakpoint
CREATE UNIQUE INDEX `state_versions_run` ON `state_versions` (`created_by_run_id`);--> statement-breakpoint
CREATE INDEX `state_versions_capsule` ON `state_versions` (`capsule_id`,`seq`);--> statement-breakpoint
CREATE TABLE `members` (
	`workspace_id` text NOT NULL,
	`account_id` text NOT NULL,
	`id` text NOT NULL,
	`role` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `account_id`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `members_id_unique` ON `members` (`id`);--> statement-breakpoint
CREATE INDEX `members_account` ON `members` (`account_id`,`status`);--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`project_json` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_slug` ON `projects` (`workspace_id`,`slug`);--> statement-breakpoint
CREATE TABLE `workspaces` (
	`id` text PRIMARY KEY NOT NULL,
	`handle` text NOT NULL,
	`display_name` text NOT NULL,
	`type` text NOT NULL,
	`owner_user_id` text NOT NULL,
	`policy` text,
	`archived_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_user_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `workspaces_handle_unique` ON `workspaces` (`handle`);
--> statement-breakpoint
CREATE TRIGGER `audit_events_no_update` BEFORE UPDATE ON `audit_events` BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `audit_events_no_delete` BEFORE DELETE ON `audit_events` BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;

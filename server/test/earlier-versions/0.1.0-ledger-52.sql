-- {"ids":{"workspaceId":"ws_01M8DN1QQ8GE3CX0Z9D671BB28","subject":"sub_01M8DN1QHS47V0W9J687GGP7S1","projectId":"prj_default_ws_01M8DN1QQ8GE3CX0Z9D671BB28","runId":"plan_01M8DN1RMCWJNCEWCEMJWRHVQW","sourceId":"src_01M8DN1RGWNE25PAY0X3R5Z7P7","sourceSnapshotId":"snap_x","capsuleId":"cap_01M8DN1RHG6WBPFHYP32D661QB","capsuleConfigId":"icfg_2d9517bbc0620efa","stateVersionId":"state_01M8DN1RMZQMT661BR8M52Z9PQ","installPlanId":"gip_01M8DN1RNW3CA0QRVD10EY80ZQ","runGroupId":"rg_01M8DN1RP996YQY3RKJGZQNXP5","revisionPlanId":"grp_01M8DN1RPHBC4EXGVFAWZF2CJ9","connectionId":"conn_01M8DN1RQ9SCWWK9MZEEZTWYV4","shareId":"oshare_01M8DN1RS5AB2BD5C51GB0NH27","dependencyId":"dep_01M8DN1RV5388FYA7VCNRYCQF1","webhookId":"wh_01M8DN1RW4NEC5MMT2D8KPYCPS","deliveryId":"msg_01M8DN1RWR54T0M5R7NG634STW","interfaceId":"if_01M8DN1RZ62GBZAGWKDBCJTNMH","bindingId":"ifb_01M8DN1S15RHZ2HQW2DRNQKNJT"},"addresses":["/.well-known/openid-configuration","/.well-known/svc","/api/v1/account/consents","/api/v1/account/notification-preferences","/api/v1/account/session/me","/api/v1/account/sessions","/api/v1/account/tokens","/api/v1/account/tokens/inventory.v1","/api/v1/account/tokens/scopes","/api/v1/auth/providers","/api/v1/capabilities","/api/v1/capsule-configs/icfg_2d9517bbc0620efa","/api/v1/capsules/cap_01M8DN1RHG6WBPFHYP32D661QB","/api/v1/capsules/cap_01M8DN1RHG6WBPFHYP32D661QB/configuration","/api/v1/capsules/cap_01M8DN1RHG6WBPFHYP32D661QB/dependencies","/api/v1/capsules/cap_01M8DN1RHG6WBPFHYP32D661QB/outputs","/api/v1/capsules/cap_01M8DN1RHG6WBPFHYP32D661QB/provider-bindings","/api/v1/capsules/cap_01M8DN1RHG6WBPFHYP32D661QB/state-versions","/api/v1/capsules/cap_01M8DN1RHG6WBPFHYP32D661QB/toolchain","/api/v1/capsules/cap_01M8DN1RHG6WBPFHYP32D661QB/usage-summary","/api/v1/connections/conn_01M8DN1RQ9SCWWK9MZEEZTWYV4/capsules","/api/v1/connections/conn_01M8DN1RQ9SCWWK9MZEEZTWYV4/uses","/api/v1/credential-recipes","/api/v1/dashboard/bootstrap","/api/v1/dashboard/overview","/api/v1/install-plans/gip_01M8DN1RNW3CA0QRVD10EY80ZQ","/api/v1/installation","/api/v1/installation/connections","/api/v1/installation/members","/api/v1/interfaces/if_01M8DN1RZ62GBZAGWKDBCJTNMH","/api/v1/interfaces/if_01M8DN1RZ62GBZAGWKDBCJTNMH/bindings","/api/v1/interfaces/if_01M8DN1RZ62GBZAGWKDBCJTNMH/bindings/ifb_01M8DN1S15RHZ2HQW2DRNQKNJT","/api/v1/projects/prj_default_ws_01M8DN1QQ8GE3CX0Z9D671BB28","/api/v1/revision-plans/grp_01M8DN1RPHBC4EXGVFAWZF2CJ9","/api/v1/run-groups/rg_01M8DN1RP996YQY3RKJGZQNXP5","/api/v1/runner-machines","/api/v1/runner-pools","/api/v1/runs/plan_01M8DN1RMCWJNCEWCEMJWRHVQW","/api/v1/runs/plan_01M8DN1RMCWJNCEWCEMJWRHVQW/cost","/api/v1/runs/plan_01M8DN1RMCWJNCEWCEMJWRHVQW/input-changes","/api/v1/runs/plan_01M8DN1RMCWJNCEWCEMJWRHVQW/logs","/api/v1/runs/plan_01M8DN1RMCWJNCEWCEMJWRHVQW/plan","/api/v1/sources/src_01M8DN1RGWNE25PAY0X3R5Z7P7","/api/v1/sources/src_01M8DN1RGWNE25PAY0X3R5Z7P7/snapshots","/api/v1/state-versions/state_01M8DN1RMZQMT661BR8M52Z9PQ","/api/v1/state-versions/state_01M8DN1RMZQMT661BR8M52Z9PQ/resources","/api/v1/vault","/api/v1/vault/recovery-kit","/api/v1/views/workspaces.v1","/api/v1/workspaces","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/activity","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/attention","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/backup-schedule","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/backups","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/billing","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/capsules","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/copies","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/current-state-versions","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/deletion-preview","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/drift","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/favorites","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/form-resources","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/graph","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/imports","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/install-plans","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/interface-materialization-failures","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/members","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/projects","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/run-groups","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/runner-pools","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/runs","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/ui-surfaces","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/usage","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/waiting","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/webhooks","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/webhooks/wh_01M8DN1RW4NEC5MMT2D8KPYCPS","/api/v1/workspaces/ws_01M8DN1QQ8GE3CX0Z9D671BB28/webhooks/wh_01M8DN1RW4NEC5MMT2D8KPYCPS/deliveries","/healthz","/oauth/jwks","/openapi.json"],"sealed":["connection_materials.sealed conn_01M8DN1RQ9SCWWK9MZEEZTWYV4/env/GIT_HTTPS_TOKEN","install_plans.variables gip_01M8DN1RNW3CA0QRVD10EY80ZQ","oidc_keys.secret fYq_tF0aXvI-Oz4zwLm5bct45rwGXLBlq1tZx7BCJTo","sources.hook_secret src_01M8DN1RGWNE25PAY0X3R5Z7P7","sources.hook_secret src_01M8DN1RQWXYFG16DJ25QPQ8EA","state_versions.state state_01M8DN1RMZQMT661BR8M52Z9PQ","state_versions.state state_01M8DN1RRDF4E9BF56RCF7MD2R","webhooks.secret wh_01M8DN1RW4NEC5MMT2D8KPYCPS","webhooks.url wh_01M8DN1RW4NEC5MMT2D8KPYCPS"]}
PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE "__drizzle_migrations" (
				id SERIAL PRIMARY KEY,
				hash text NOT NULL,
				created_at numeric
			);
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
CREATE TABLE `audit_head` (
	`one` integer PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`hash` text NOT NULL,
	`mac` text NOT NULL
) STRICT;
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
	`updated_at` integer NOT NULL, `disabled_from` text, `writable_paths` text, `note` text, `hold_reason` text, `hold_until` integer, `held_by` text, `held_at` integer, `drift_schedule` text, `labels` text, `runner_pool_id` text,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
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
, `parts` text) STRICT;
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
	`created_at` integer NOT NULL, `built_digest` text,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`display_name` text,
	`email` text,
	`created_at` integer NOT NULL
, `password_hash` text, `reserved_at` integer, `disabled_at` integer, `email_verified_at` integer) STRICT;
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`subject` text NOT NULL,
	`user_agent` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`revoked_at` integer, `last_seen_at` integer, `made_by` text,
	FOREIGN KEY (`subject`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `sign_in_links` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`subject` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer, `mailed_to` text,
	FOREIGN KEY (`subject`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `installation` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
) STRICT;
CREATE TABLE `outbox` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`workspace_id` text NOT NULL,
	`kind` text NOT NULL,
	`record_id` text NOT NULL,
	`status` text,
	`created_at` integer NOT NULL
) STRICT;
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
CREATE TABLE `run_feed` (
	`run_id` text NOT NULL,
	`seq` integer NOT NULL,
	`kind` text NOT NULL,
	`at` integer NOT NULL,
	`payload` text NOT NULL,
	PRIMARY KEY(`run_id`, `seq`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
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
	`journal_offset` integer DEFAULT 0 NOT NULL, `capsule_name` text, `run_group_id` text, `group_layer` integer, `group_seq` integer, `plan_seq` integer, `change_seq` integer GENERATED ALWAYS AS (coalesce(plan_seq, seq)) VIRTUAL, `row_seq` integer GENERATED ALWAYS AS (coalesce(group_seq, plan_seq, seq)) VIRTUAL, `cause` text, `applied` text, `runner_pool` text DEFAULT 'local' NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
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
CREATE TABLE `snapshot_scans` (
	`snapshot_id` text NOT NULL,
	`tool` text NOT NULL,
	`result` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`snapshot_id`, `tool`),
	FOREIGN KEY (`snapshot_id`) REFERENCES `source_snapshots`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `source_lanes` (
	`source_id` text NOT NULL,
	`ref` text NOT NULL,
	`path` text NOT NULL,
	`snapshot_id` text NOT NULL,
	`synced_at` integer NOT NULL,
	PRIMARY KEY(`source_id`, `ref`, `path`),
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
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
	`fetched_at` integer NOT NULL, `commit` text,
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
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
	`updated_at` integer NOT NULL, `auth_connection_id` text, `polled_at` integer, `code_host` text DEFAULT 'none' NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
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
CREATE TABLE `workspaces` (
	`id` text PRIMARY KEY NOT NULL,
	`handle` text NOT NULL,
	`display_name` text NOT NULL,
	`type` text NOT NULL,
	`owner_user_id` text NOT NULL,
	`policy` text,
	`archived_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL, `drift_schedule` text, `deleted_at` integer,
	FOREIGN KEY (`owner_user_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `data_keys` (
	`scope` text NOT NULL,
	`version` integer NOT NULL,
	`master_key_id` text NOT NULL,
	`wrapped` blob NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`scope`, `version`),
	FOREIGN KEY (`master_key_id`) REFERENCES `master_keys`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `installation_secrets` (
	`purpose` text PRIMARY KEY NOT NULL,
	`sealed` blob NOT NULL
) STRICT;
CREATE TABLE `key_jobs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`column` text NOT NULL,
	`after` text NOT NULL,
	`resealed` integer NOT NULL,
	`unreadable` integer NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer
) STRICT;
CREATE TABLE `master_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`state` text NOT NULL,
	`params` text,
	`canary` blob NOT NULL,
	`made` integer NOT NULL,
	`keychain_missed` text,
	`created_at` integer NOT NULL
) STRICT;
CREATE TABLE `connection_materials` (
	`id` text PRIMARY KEY NOT NULL,
	`connection_id` text NOT NULL,
	`workspace_id` text,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`sealed` blob NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `connections`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `connection_uses` (
	`connection_id` text NOT NULL,
	`run_id` text NOT NULL,
	`capsule_id` text,
	`names` text NOT NULL,
	`used_at` integer NOT NULL,
	PRIMARY KEY(`connection_id`, `run_id`),
	FOREIGN KEY (`connection_id`) REFERENCES `connections`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `connections` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text,
	`provider` text NOT NULL,
	`provider_source` text NOT NULL,
	`kind` text,
	`status` text NOT NULL,
	`display_name` text,
	`secret_partition` text,
	`recipe` text,
	`env_names` text NOT NULL,
	`files` text NOT NULL,
	`scope_hints` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`verified_at` integer,
	`expires_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `dependencies` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`producer_capsule_id` text NOT NULL,
	`consumer_capsule_id` text NOT NULL,
	`mode` text NOT NULL,
	`outputs` text NOT NULL,
	`visibility` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`producer_capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`consumer_capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `dependency_snapshots` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`run_id` text NOT NULL,
	`used` text NOT NULL,
	`digest` text NOT NULL,
	`sealed` blob NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
CREATE TABLE `output_shares` (
	`id` text PRIMARY KEY NOT NULL,
	`from_workspace_id` text NOT NULL,
	`to_workspace_id` text NOT NULL,
	`producer_capsule_id` text NOT NULL,
	`outputs` text NOT NULL,
	`sensitive_reason` text,
	`status` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`accepted_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`from_workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`producer_capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
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
CREATE TABLE `run_credentials` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`sealed` blob NOT NULL,
	FOREIGN KEY (`id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `snapshot_manifests` (
	`snapshot_id` text PRIMARY KEY NOT NULL,
	`document` text,
	`module_paths` text NOT NULL,
	`problems` text NOT NULL,
	FOREIGN KEY (`snapshot_id`) REFERENCES `source_snapshots`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `auto_updates` (
	`capsule_id` text NOT NULL,
	`snapshot_id` text NOT NULL,
	`step` text NOT NULL,
	`run_id` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`capsule_id`, `snapshot_id`),
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `access_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`subject` text NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`scopes` text NOT NULL,
	`workspace_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`subject`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `run_groups` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`type` text NOT NULL,
	`created_by` text NOT NULL,
	`layers` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `usage_events` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text,
	`run_id` text,
	`kind` text NOT NULL,
	`quantity` real NOT NULL,
	`usd_micros` integer NOT NULL,
	`rating_status` text NOT NULL,
	`source` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `external_identities` (
	`issuer` text NOT NULL,
	`external_subject` text NOT NULL,
	`account_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`issuer`, `external_subject`),
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`workspace_id` text NOT NULL,
	`account_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`withdrawn_at` integer, `invited_by` text,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `revision_plans` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`created_by` text NOT NULL,
	`key_digest` text NOT NULL,
	`request_digest` text NOT NULL,
	`request` text NOT NULL,
	`phase` text NOT NULL,
	`generation` integer NOT NULL,
	`facts` text NOT NULL,
	`diagnostic` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`completed_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `plan_digests` (
	`run_id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`sealed` blob NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `late_marks` (
	`capsule_id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`marks` blob NOT NULL
) STRICT;
CREATE TABLE `projection_pages` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`state_version_id` text NOT NULL,
	`number` integer NOT NULL,
	`page` blob NOT NULL,
	FOREIGN KEY (`state_version_id`) REFERENCES `state_projections`(`state_version_id`) ON UPDATE no action ON DELETE no action
) STRICT;
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
	`page_count` integer NOT NULL, `failed_checks` integer,
	FOREIGN KEY (`state_version_id`) REFERENCES `state_versions`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
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
CREATE TABLE `drift_schedules` (
	`capsule_id` text PRIMARY KEY NOT NULL,
	`period_ms` integer NOT NULL,
	`due_at` integer NOT NULL,
	`is_refused` integer NOT NULL,
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `webhook_deliveries` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`webhook_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`event` text NOT NULL,
	`status` text NOT NULL,
	`message` text NOT NULL,
	`attempts` text NOT NULL,
	`tries` integer NOT NULL,
	`due_at` integer,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`events` text NOT NULL,
	`format` text NOT NULL,
	`host` text NOT NULL,
	`url` blob NOT NULL,
	`secret` blob NOT NULL,
	`previous_secret` blob,
	`previous_secret_until` integer,
	`enabled` integer NOT NULL,
	`disabled_at` integer,
	`disabled_reason` text,
	`failing_since` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	`paused_until` integer,
	`due_at` integer,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `notification_preferences` (
	`account_id` text PRIMARY KEY NOT NULL,
	`browser` text NOT NULL,
	`mail` text NOT NULL,
	`muted_workspace_ids` text NOT NULL,
	`language` text NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `waiting_mails` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`account_id` text,
	`email` text,
	`run_id` text,
	`created_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL
, `workspace_id` text) STRICT;
CREATE TABLE `capsule_favorites` (
	`account_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `capsule_id`),
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `hostname_proofs` (
	`workspace_id` text NOT NULL,
	`hostname` text NOT NULL,
	`owner_kind` text NOT NULL,
	`owner_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `hostname`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `interface_bindings` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`interface_id` text NOT NULL,
	`subject_kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`permissions` text NOT NULL,
	`delivery` text NOT NULL,
	`spec_digest` text NOT NULL,
	`generation` integer NOT NULL,
	`phase` text NOT NULL,
	`reason` text,
	`phase_at` integer NOT NULL,
	`observed_interface_revision` integer NOT NULL,
	`origin` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL, `package_key` text,
	FOREIGN KEY (`interface_id`) REFERENCES `interfaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `interface_sources` (
	`interface_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	PRIMARY KEY(`interface_id`, `capsule_id`),
	FOREIGN KEY (`interface_id`) REFERENCES `interfaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `interfaces` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`owner_kind` text NOT NULL,
	`owner_id` text NOT NULL,
	`labels` text,
	`type` text NOT NULL,
	`version` text NOT NULL,
	`spec` text NOT NULL,
	`generation` integer NOT NULL,
	`phase` text NOT NULL,
	`reason` text,
	`message` text,
	`phase_at` integer NOT NULL,
	`observed_generation` integer NOT NULL,
	`resolved_revision` integer NOT NULL,
	`resolved_inputs` text,
	`provenance` text,
	`resource_uri` text,
	`claim_uri` text,
	`conditions` text NOT NULL,
	`blueprint_key` text,
	`blueprint_digest` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `materialization_intents` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`run_id` text NOT NULL,
	`state_version_id` text NOT NULL,
	`output_id` text NOT NULL,
	`state_generation` integer NOT NULL,
	`principal_id` text NOT NULL,
	`blueprints` text NOT NULL,
	`blueprints_digest` text NOT NULL,
	`items` text NOT NULL,
	`next_item_index` integer NOT NULL,
	`attempts` integer NOT NULL,
	`status` text NOT NULL,
	`due_at` integer,
	`error_code` text,
	`error_digest` text,
	`error_at` integer,
	`failed_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `resource_claims` (
	`uri` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`owner_kind` text NOT NULL,
	`owner_id` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
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
CREATE TABLE `oidc_consents` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`client_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `oidc_grants` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`client_id` text NOT NULL,
	`workspace_id` text,
	`scopes` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `oidc_keys` (
	`kid` text PRIMARY KEY NOT NULL,
	`x` text NOT NULL,
	`y` text NOT NULL,
	`secret` blob NOT NULL,
	`created_at` integer NOT NULL,
	`replaced_at` integer
) STRICT;
CREATE TABLE `oidc_records` (
	`id` text PRIMARY KEY NOT NULL,
	`payload` blob NOT NULL,
	`grant_id` text,
	`consumed_at` integer,
	`expires_at` integer NOT NULL
) STRICT;
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
CREATE TABLE `minted_secrets` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`sealed` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `workspace_deletions` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`handle` text NOT NULL,
	`display_name` text NOT NULL,
	`deleted_by` text NOT NULL,
	`deleted_at` integer NOT NULL,
	`left_capsules` text NOT NULL,
	`completed_at` integer
) STRICT;
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
CREATE TABLE `backup_keys` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`recipient` text NOT NULL,
	`identity` blob NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `backup_requests` (
	`key_digest` text PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `backups` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text,
	`environment` text,
	`digest` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`created_by_run_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`created_by_run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `restore_states` (
	`id` text PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`capsule_id` text NOT NULL,
	`current_generation` integer NOT NULL,
	`current_resource_count` integer NOT NULL,
	`source_generation` integer,
	`source_state_version_id` text,
	`source_snapshot_id` text,
	`resource_count` integer NOT NULL,
	`partial` integer NOT NULL,
	`tool_name` text NOT NULL,
	`converted_from` text,
	`shown_outputs` text,
	`differences` text NOT NULL,
	`state_digest` text NOT NULL,
	`state` blob,
	`restored_state_version_id` text,
	FOREIGN KEY (`run_id`) REFERENCES `restores`(`run_id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`capsule_id`) REFERENCES `capsules`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `restores` (
	`run_id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`backup_id` text,
	`backup_created_at` integer,
	`left_out` text NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `backup_copies` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`target` text NOT NULL,
	`status` text NOT NULL,
	`backup_id` text,
	`digest` text,
	`size_bytes` integer,
	`upload_id` text,
	`location` text,
	`attempts` integer NOT NULL,
	`started_at` integer NOT NULL,
	`retry_at` integer NOT NULL,
	`stored_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `backup_schedules` (
	`workspace_id` text PRIMARY KEY NOT NULL,
	`hour` integer NOT NULL,
	`keep` integer NOT NULL,
	`target` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`failed_at` integer,
	`failure` text, `overdue_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `copies` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`upstream_url` text NOT NULL,
	`upstream_ref` text NOT NULL,
	`upstream_path` text NOT NULL,
	`auth_connection_id` text,
	`module_path` text,
	`source_id` text,
	`current_revision_id` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `copy_revisions` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`copy_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`status` text NOT NULL,
	`upstream_commit` text,
	`commit` text,
	`review` text,
	`error` text,
	`approved_by` text,
	`approved_at` integer,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`copy_id`) REFERENCES `copies`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `interface_resource_sources` (
	`interface_id` text NOT NULL,
	`resource_id` text NOT NULL,
	PRIMARY KEY(`interface_id`, `resource_id`),
	FOREIGN KEY (`interface_id`) REFERENCES `interfaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `form_packages` (
	`kind` text NOT NULL,
	`api_version` text NOT NULL,
	`definition_version` text NOT NULL,
	`schema_digest` text NOT NULL,
	`package_digest` text NOT NULL,
	`installed_at` integer NOT NULL,
	PRIMARY KEY(`kind`, `api_version`, `definition_version`, `schema_digest`, `package_digest`)
) STRICT;
CREATE TABLE `form_operations` (
	`workspace_id` text NOT NULL,
	`principal` text NOT NULL,
	`key` text NOT NULL,
	`identity` text NOT NULL,
	`operation` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`resource_id` text NOT NULL,
	`native_id` text NOT NULL,
	`form` text NOT NULL,
	`base` integer NOT NULL,
	`spec` text,
	`created_at` integer NOT NULL,
	`completed_at` integer,
	PRIMARY KEY(`workspace_id`, `principal`, `key`)
) STRICT;
CREATE TABLE `form_resources` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`form` text NOT NULL,
	`generation` integer NOT NULL,
	`spec` text NOT NULL,
	`outputs` text,
	`native_id` text NOT NULL,
	`imported` integer NOT NULL,
	`ready` integer NOT NULL,
	`drifted_fields` text NOT NULL,
	`observed_at` integer,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL, `updated_by` text,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `runner_enrolments` (
	`id` text PRIMARY KEY NOT NULL,
	`pool_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`machine_id` text,
	`cancelled_at` integer,
	FOREIGN KEY (`pool_id`) REFERENCES `runner_pools`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`machine_id`) REFERENCES `runner_machines`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `runner_machines` (
	`id` text PRIMARY KEY NOT NULL,
	`pool_id` text NOT NULL,
	`state` text NOT NULL,
	`public_key` text NOT NULL,
	`seal_key` text NOT NULL,
	`facts` text NOT NULL,
	`enrolled_at` integer NOT NULL,
	`last_seen_at` integer,
	`revoked_at` integer,
	`revoked_by` text,
	FOREIGN KEY (`pool_id`) REFERENCES `runner_pools`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `runner_pools` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`note` text,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`removed_at` integer
) STRICT;
CREATE TABLE `workspace_runner_pools` (
	`workspace_id` text NOT NULL,
	`pool_id` text NOT NULL,
	`allowed_at` integer NOT NULL,
	`withdrawn_at` integer,
	`is_default` integer NOT NULL,
	PRIMARY KEY(`workspace_id`, `pool_id`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`pool_id`) REFERENCES `runner_pools`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
CREATE TABLE `nats_authority` (
	`id` integer PRIMARY KEY NOT NULL,
	`sealed` blob NOT NULL
) STRICT;
CREATE TABLE `remote_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`machine_id` text NOT NULL,
	`ticket` text NOT NULL,
	`run_key` blob NOT NULL,
	`claimed_at` integer NOT NULL,
	`permitted_at` integer,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '9e7101215b009931f68f9f00d89ba4531f8d5ee76a326c2bc6c5602654e1f0e4', 1795270901541);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '29dd207382bbe8b1f42a19d94a06ec53a28583dc1acee3499a0ead8132cfaae8', 1795275188026);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'b9adba2056ddca3559a97be2af65e2e179630dbadb0f11c6a97feedb4aed78f0', 1795280919700);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'f2e0caea55504cb3a822b8c6595ab8b916053ff75a47e107e96c8b896f8a9196', 1795282155191);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '6d84dd0d7440c43461cf1317fa76b5d19e65c5f2e1636dab61ef30aab3764d3b', 1795282803732);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '2ea24c5c9db86ccd8d7c6bee83e096e895206b6ca5f87484ad6b7432376eb46a', 1795291251041);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '930b1b4642b46631ee961343234d16ad08e513ce5083200871a7b42939cb4d55', 1795292091172);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '1d2a1180ec7b7b2e12283de5795df3be9ed078a5f3b9a713b740dae17fe472c8', 1795296397857);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '7839c1e262c222eaa6a7d8d4b23e1612dc8070a29848be3114d297b27db27aea', 1795302769766);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '5ce6aef1fec068e337b2ebfe6195eff8739e162595e59aaf49907e945fc69f60', 1795303333886);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '4a7603ce169edb0763020d2096d92e0165ee34e65d6f5c297b2de33643eafafc', 1795303698861);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '2bef37b5beeca15a2476f6a2acc8f04f0df38f84844bf8f7e771dae23fc342ff', 1795305817894);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '60a4933f06c4a83a0c0e19e5567073752c20afdef041e437bddac716595ff561', 1795315026328);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '71e97908b9fb73ca14bd35748938cfc7f59b7317079d9bb6ba92fe46fe77dab0', 1795315757901);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '5c0c1cf6d26d66cb6db27e4b97a5d654122bd5c19bf68a4bb3f9394b7fc0e8b6', 1795316014072);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'db2fb0db19bbeb6923815fcdfda938942325018f344b62e499dd6a87c7e29a19', 1795316404095);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '0cd1922ceace1f08dbb12ce8a8eb3ee7d3a9bda206ac7d3d2cab3e8af132954b', 1795317246097);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'a754d20fd13c5efd2d27368b8ecce2432fb259601784520196271343cb9956e3', 1795317714725);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '085a14de3397d87b70d4788e1aa0db66f705ce95a9a354c069e1e38fba15a247', 1795420986854);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'ab854e1630f27aea5faa852cc79bd2c8bf77e45c86c19f1b529368839f89dd13', 1795435046156);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'a93c64df907ed560c2feee459e7355f7827f65b19612f1d8dc68a5902f546598', 1795435749564);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '3098baf4b4deff90e09ca2053963ae1b772e936c6657d06e7d083108de1e50ed', 1795451011552);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '87e5ade79974e964e383d4d10f8f7e0fde5ffb5f1cdc4bf22ff53dd214c780b0', 1795533094742);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'c1df69e8f48106d275e4035a683dc75e8d62e4acc0e424bcec0ca037731e3183', 1795533881193);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '29d4d6720afefaf12e8e321f8c60eb22158c90632ee9332c7c2339567f3ea59f', 1795534627620);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '63bc0b7f070c94cc0b8240a2338d0ef1349b46761c45a76a835cc1469e8cbb7b', 1795535393596);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '9b7243ca4646e5fdfaa4fc94ac819edd97da9dd8960fd72016aa2ea44f4a3794', 1795547818678);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '795956c2b2a9776a84f94b50a50f912b0bc2e9e88f84a53ebdcb5e6342f33b4b', 1795549946921);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'd3f6fdd39be203190b10edc68e98112b2445a05ed55e896bfec481fdc924a483', 1795550204365);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'c4fe092bf18771272bebc60c51dfadba7905167d10e0e787efa9ee042f54f11a', 1795550285177);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'a93b6499e65d4e9ca02db7acded517c901961d2f5b350b923ef2a22acd7c2351', 1795550611464);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '51d058d92ad66b814e43b183ec2096e5ee5ae972125348f16db88f8f3968a2fd', 1795551355853);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '87262f5e3add9acdce7d476a4e8b79995bd05cac42477e4eaad205ef355ed8c7', 1795552699653);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '44b41afcf2dc9d5323035b88bd0fe2f2cc794da167cf2d438efb60cbeafa0204', 1795648221049);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'c4e1d2c6e6ab29ddffb72c2dd0f8bb659b29ef5a78ec525a38d684842f768db7', 1795650869042);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '5821ecf917415530badb7edcb895eaa73e312f62c2dc310895f3ba39404c9bb5', 1795654990114);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '163ea923ecd92b94b3eafdbd12fada1adf6b52cd8cf0728d5bc6975c13624ab8', 1795663522618);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '51caa5c18e64889ddd51f1dfbb9a15befc7e2931b6eea1c62493c7745415d815', 1795665495397);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '287af56c0f18988a25242434315fe273091b73ff0ab85f72d183b790b3cc9272', 1795666026690);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '6159d11fe0fa16a4f65011bd5c4af98c136789e734bd61d0f3527fc6bec4a77f', 1795667023863);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'd0cd462fcc9e5594a0aca44dbeeb91064d0e260b2b6dad1f33f846ce22a623b1', 1795675649659);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'c45c07860a08de624075415df328d34568c2f3083c6a131d00f04d4209691a77', 1795676744670);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'c55582b65f221f49e1dbb5715b2c35b83d5417fad9a094a27812be3e3915e575', 1795679228362);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '77253a1d52f115faa42ae476ef6e06000c4594c23201f372ede52051c4e7e10c', 1795680806227);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '1327022545af019bfe39ea6bb70ac1acbc4d6b1d34e8af2e889a090793f23516', 1795690278956);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '1adb4e3bd4d489dd1b807a32708fb8a29dce3a291ece336db5c1160e33d7dcea', 1795691569607);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '168960b87a19707e7b0b0519abad6defc6b08de3a1c379072a7fa9486d90f803', 1795703009789);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'a0e23749999182ffa3ce4686036d1c5fd89c9e35b609f46fbe9d6abc84808e33', 1795703860281);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '963ba87d6929b36245a5b7d4b363bc48b628f71b4f41a925478387650eb99050', 1795705115686);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '8045838c23e02949351f39b05c16e563c1175def6e0b6e7dac8295806395c33f', 1795706963389);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, '7a528559f3d2601be5d002bd04465d00d310c1f29d23a582a21273931285bd57', 1795727516418);
INSERT INTO "__drizzle_migrations" ("id", "hash", "created_at") VALUES (NULL, 'bdd8e6ea646f4d53afc8aff3fdf3de16c2b7fd8a95174e2c03a168cd14a4dd67', 1795731176535);
INSERT INTO "audit_events" ("seq", "id", "workspace_id", "actor_id", "action", "target_type", "target_id", "run_id", "metadata", "created_at", "prev_hash", "hash") VALUES (1, 'act_01M8DN1QN0FZ8NKDYW87CWHVSM', NULL, NULL, 'account.created', 'account', 'sub_01M8DN1QHS47V0W9J687GGP7S1', NULL, '{}', 1795754614432, '0000000000000000000000000000000000000000000000000000000000000000', 'f428c539b1506457271957420dc4d9c6525d20fd6daf2be8654a233d01c98ca4');
INSERT INTO "audit_events" ("seq", "id", "workspace_id", "actor_id", "action", "target_type", "target_id", "run_id", "metadata", "created_at", "prev_hash", "hash") VALUES (2, 'act_01M8DN1QQAH8BZ8X48HFKY4267', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 'workspace.created', 'workspace', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', NULL, '{}', 1795754614506, 'f428c539b1506457271957420dc4d9c6525d20fd6daf2be8654a233d01c98ca4', 'd24112f396d73a6930919f64351a8047b72cf6c2cdcd087ddf5f747107cac7fc');
INSERT INTO "audit_events" ("seq", "id", "workspace_id", "actor_id", "action", "target_type", "target_id", "run_id", "metadata", "created_at", "prev_hash", "hash") VALUES (3, 'act_01M8DN1QQMZEEMNQQ9MESBWZMN', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 'project.created', 'project', 'prj_default_ws_01M8DN1QQ8GE3CX0Z9D671BB28', NULL, '{}', 1795754614517, 'd24112f396d73a6930919f64351a8047b72cf6c2cdcd087ddf5f747107cac7fc', '78bbdbe3982c47f1f79e79ca3c398c52d92c7e104721810c4f763e163af6a2a6');
INSERT INTO "audit_events" ("seq", "id", "workspace_id", "actor_id", "action", "target_type", "target_id", "run_id", "metadata", "created_at", "prev_hash", "hash") VALUES (4, 'act_01M8DN1RE262FQQB95XHJ5RVRT', NULL, 'operator', 'account_session.issued', 'account', 'sub_01M8DN1QHS47V0W9J687GGP7S1', NULL, '{"madeBy":"operator"}', 1795754615234, '78bbdbe3982c47f1f79e79ca3c398c52d92c7e104721810c4f763e163af6a2a6', '5be11028aac9a0a227dd793a71df693a79266579bcda503adc4f30ad456f454c');
INSERT INTO "audit_events" ("seq", "id", "workspace_id", "actor_id", "action", "target_type", "target_id", "run_id", "metadata", "created_at", "prev_hash", "hash") VALUES (5, 'act_01M8DN1RGX80SEP8S26QJTQ4ZQ', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 'source.created', 'source', 'src_01M8DN1RGWNE25PAY0X3R5Z7P7', NULL, '{}', 1795754615325, '5be11028aac9a0a227dd793a71df693a79266579bcda503adc4f30ad456f454c', '04ddf161f5398115837f96e7c8432d0f5c5567904f1741bc0459d3c31b27edca');
INSERT INTO "audit_events" ("seq", "id", "workspace_id", "actor_id", "action", "target_type", "target_id", "run_id", "metadata", "created_at", "prev_hash", "hash") VALUES (6, 'act_01M8DN1RNZ89Q4NNSAXZJRXDBK', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 'install_plan.created', 'install_plan', 'gip_01M8DN1RNW3CA0QRVD10EY80ZQ', NULL, '{}', 1795754615487, '04ddf161f5398115837f96e7c8432d0f5c5567904f1741bc0459d3c31b27edca', 'dfb69427e41dcc666158eaa407d607bbcad9378220ead511ab7d8a644fc83056');
INSERT INTO "audit_events" ("seq", "id", "workspace_id", "actor_id", "action", "target_type", "target_id", "run_id", "metadata", "created_at", "prev_hash", "hash") VALUES (7, 'act_01M8DN1RPNBPCJM3RMJM57SJP2', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 'revision_plan.created', 'revision_plan', 'grp_01M8DN1RPHBC4EXGVFAWZF2CJ9', NULL, '{"capsuleId":"cap_01M8DN1RHG6WBPFHYP32D661QB","phase":"syncing_source"}', 1795754615509, 'dfb69427e41dcc666158eaa407d607bbcad9378220ead511ab7d8a644fc83056', '4b3e8461f9485534759243d83d528b357d0c8444483d061a70643fa1f9ec482d');
INSERT INTO "audit_events" ("seq", "id", "workspace_id", "actor_id", "action", "target_type", "target_id", "run_id", "metadata", "created_at", "prev_hash", "hash") VALUES (8, 'act_01M8DN1RQB12FEDY1J6JW7ZM1K', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 'connection.created', 'connection', 'conn_01M8DN1RQ9SCWWK9MZEEZTWYV4', NULL, '{"provider":"git"}', 1795754615531, '4b3e8461f9485534759243d83d528b357d0c8444483d061a70643fa1f9ec482d', '1c660174fe98a4fc978151a9cc76ce37a9064c9ff8d922610c131b5dd4a0a32a');
INSERT INTO "audit_events" ("seq", "id", "workspace_id", "actor_id", "action", "target_type", "target_id", "run_id", "metadata", "created_at", "prev_hash", "hash") VALUES (9, 'act_01M8DN1RQX9B6S8X7PSTQXVRVZ', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 'source.created', 'source', 'src_01M8DN1RQWXYFG16DJ25QPQ8EA', NULL, '{}', 1795754615549, '1c660174fe98a4fc978151a9cc76ce37a9064c9ff8d922610c131b5dd4a0a32a', '6528c57606c5de4e47617ae5789aa315bedc7ee2e6507347dc87351865182d3e');
INSERT INTO "audit_events" ("seq", "id", "workspace_id", "actor_id", "action", "target_type", "target_id", "run_id", "metadata", "created_at", "prev_hash", "hash") VALUES (10, 'act_01M8DN1RS6YQ7RQG61VZ0NES05', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 'output_share.created', 'output_share', 'oshare_01M8DN1RS5AB2BD5C51GB0NH27', NULL, '{"producerCapsuleId":"cap_01M8DN1RR7SJJWJXD3T9S33G5R","fromWorkspaceId":"ws_01M8DN1QQ8GE3CX0Z9D671BB28","toWorkspaceId":"ws_01M8DN1QQ8GE3CX0Z9D671BB28","outputs":["url"]}', 1795754615590, '6528c57606c5de4e47617ae5789aa315bedc7ee2e6507347dc87351865182d3e', '3efee5a2b6fe8014fa3e38dd4f5e9dd95efdb24c5f991f1f0f489fdeafcd7a10');
INSERT INTO "audit_events" ("seq", "id", "workspace_id", "actor_id", "action", "target_type", "target_id", "run_id", "metadata", "created_at", "prev_hash", "hash") VALUES (11, 'act_01M8DN1RV5388FYA7VCNRYCQF2', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 'dependency.created', 'dependency', 'dep_01M8DN1RV5388FYA7VCNRYCQF1', NULL, '{"capsuleId":"cap_01M8DN1RHG6WBPFHYP32D661QB","producerCapsuleId":"cap_01M8DN1RR7SJJWJXD3T9S33G5R","consumerCapsuleId":"cap_01M8DN1RHG6WBPFHYP32D661QB","mode":"variable_injection","variables":["url"]}', 1795754615653, '3efee5a2b6fe8014fa3e38dd4f5e9dd95efdb24c5f991f1f0f489fdeafcd7a10', 'd05b9f98bdbf6c94b07497095515e524e29bc3a7646d9e920ac1df28af074e43');
INSERT INTO "audit_events" ("seq", "id", "workspace_id", "actor_id", "action", "target_type", "target_id", "run_id", "metadata", "created_at", "prev_hash", "hash") VALUES (12, 'act_01M8DN1RW5Y55GVC9J5Z47PNQB', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 'webhook.created', 'webhook', 'wh_01M8DN1RW4NEC5MMT2D8KPYCPS', NULL, '{"name":"w","host":"receiver.invalid"}', 1795754615686, 'd05b9f98bdbf6c94b07497095515e524e29bc3a7646d9e920ac1df28af074e43', '47cb2e341cba146ccfb15a76aac2cf3bb612add91a86c89f3e827386e8d50b24');
INSERT INTO "audit_events" ("seq", "id", "workspace_id", "actor_id", "action", "target_type", "target_id", "run_id", "metadata", "created_at", "prev_hash", "hash") VALUES (13, 'act_01M8DN1RWR54T0M5R7NG634STV', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 'webhook.tested', 'webhook', 'wh_01M8DN1RW4NEC5MMT2D8KPYCPS', NULL, '{"name":"w","host":"receiver.invalid"}', 1795754615704, '47cb2e341cba146ccfb15a76aac2cf3bb612add91a86c89f3e827386e8d50b24', '8e2f4a2c5d6f0c0ecc048ef0209fb28e65c5c004fdb015d7e1b077d17ed176e4');
INSERT INTO "audit_events" ("seq", "id", "workspace_id", "actor_id", "action", "target_type", "target_id", "run_id", "metadata", "created_at", "prev_hash", "hash") VALUES (14, 'act_01M8DN1RZ7262QX94YAFPV3D21', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 'interface.created', 'interface', 'if_01M8DN1RZ62GBZAGWKDBCJTNMH', NULL, '{"name":"ui","type":"interface.ui.surface"}', 1795754615783, '8e2f4a2c5d6f0c0ecc048ef0209fb28e65c5c004fdb015d7e1b077d17ed176e4', '0235c88efb4cccaaf7e77d5a7bad1eca18083b64ccd9166dec232b08b7edc128');
INSERT INTO "audit_events" ("seq", "id", "workspace_id", "actor_id", "action", "target_type", "target_id", "run_id", "metadata", "created_at", "prev_hash", "hash") VALUES (15, 'act_01M8DN1S16Z19FB6811V35J8ZJ', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 'interface_binding.created', 'interface_binding', 'ifb_01M8DN1S15RHZ2HQW2DRNQKNJT', NULL, '{"interfaceId":"if_01M8DN1RZ62GBZAGWKDBCJTNMH","subjectKind":"Principal","subjectId":"sub_01M8DN1QHS47V0W9J687GGP7S1","permissions":["ui.open"]}', 1795754615846, '0235c88efb4cccaaf7e77d5a7bad1eca18083b64ccd9166dec232b08b7edc128', '5efb66428715477b1c791e894841ba93c1f1e2bfa91a85310c470a2ea02895ea');
INSERT INTO "audit_head" ("one", "seq", "hash", "mac") VALUES (1, 15, '5efb66428715477b1c791e894841ba93c1f1e2bfa91a85310c470a2ea02895ea', '9360f6762caeeb425d35614f3fcf20b259bad1cca6eb8c585c309c126ac1a81c');
INSERT INTO "capsules" ("id", "workspace_id", "project_id", "name", "slug", "environment", "source_id", "install_config_id", "status", "current_state_version_id", "current_state_generation", "execution_authority_epoch", "runtime_safety", "compatibility_report_id", "compatibility_status", "auto_update", "adopted_source_revision", "created_at", "updated_at", "disabled_from", "writable_paths", "note", "hold_reason", "hold_until", "held_by", "held_at", "drift_schedule", "labels", "runner_pool_id") VALUES ('cap_01M8DN1RHG6WBPFHYP32D661QB', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'prj_default_ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'cap_01M8DN1RHG6WBPFHYP32D661QB', 'cap-01m8dn1rhg6wbpfhyp32d661qb', 'test', 'src_01M8DN1RGWNE25PAY0X3R5Z7P7', 'icfg_2d9517bbc0620efa', 'pending', 'state_01M8DN1RMZQMT661BR8M52Z9PQ', 1, 1, NULL, NULL, NULL, NULL, NULL, 1795754615344, 1795754615344, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO "capsules" ("id", "workspace_id", "project_id", "name", "slug", "environment", "source_id", "install_config_id", "status", "current_state_version_id", "current_state_generation", "execution_authority_epoch", "runtime_safety", "compatibility_report_id", "compatibility_status", "auto_update", "adopted_source_revision", "created_at", "updated_at", "disabled_from", "writable_paths", "note", "hold_reason", "hold_until", "held_by", "held_at", "drift_schedule", "labels", "runner_pool_id") VALUES ('cap_01M8DN1RR7SJJWJXD3T9S33G5R', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'prj_default_ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'cap_01M8DN1RR7SJJWJXD3T9S33G5R', 'cap-01m8dn1rr7sjjwjxd3t9s33g5r', 'test', 'src_01M8DN1RQWXYFG16DJ25QPQ8EA', 'icfg_c9c0b705e442289e', 'pending', 'state_01M8DN1RRDF4E9BF56RCF7MD2R', 1, 1, NULL, NULL, NULL, NULL, NULL, 1795754615559, 1795754615559, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO "install_configs" ("id", "workspace_id", "name", "derived", "module_path", "provenance", "variable_mapping", "secret_variables", "secrets", "policy", "all_outputs", "digest", "created_at", "updated_at", "parts") VALUES ('cfg-default-opentofu-capsule', NULL, 'Plain OpenTofu module', 0, NULL, NULL, '{}', '[]', NULL, '{}', 1, 'sha256:b959c2650ae19acee1e88ee369804ba7b0b7f34c38dc40029b9033ab80e96d24', 1795754614523, 1795754614523, NULL);
INSERT INTO "install_configs" ("id", "workspace_id", "name", "derived", "module_path", "provenance", "variable_mapping", "secret_variables", "secrets", "policy", "all_outputs", "digest", "created_at", "updated_at", "parts") VALUES ('icfg_2d9517bbc0620efa', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'Config', 1, '.', '{"sourceId":"src_01M8DN1RGWNE25PAY0X3R5Z7P7","sourceSnapshotId":"snap_none","ref":"HEAD","path":".","reportId":"caprep_none"}', '{}', '[]', NULL, '{}', 1, 'sha256:a76f18039ac30391088a663493d419376d676d006ccc3f1dedaf1cc0415cf4dc', 1795754615344, 1795754615344, NULL);
INSERT INTO "install_configs" ("id", "workspace_id", "name", "derived", "module_path", "provenance", "variable_mapping", "secret_variables", "secrets", "policy", "all_outputs", "digest", "created_at", "updated_at", "parts") VALUES ('icfg_c9c0b705e442289e', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'Config', 1, '.', '{"sourceId":"src_01M8DN1RQWXYFG16DJ25QPQ8EA","sourceSnapshotId":"snap_none","ref":"HEAD","path":".","reportId":"caprep_none"}', '{}', '[]', NULL, '{}', 1, 'sha256:9290c5cb1eab029b2c37c42196ecef82b1b17b45d3a784726e56fb6d804c0589', 1795754615559, 1795754615559, NULL);
INSERT INTO "install_plans" ("seq", "id", "workspace_id", "created_by", "key_digest", "request_digest", "request", "variables", "secret_variables", "phase", "generation", "facts", "diagnostic", "created_at", "updated_at", "completed_at") VALUES (1, 'gip_01M8DN1RNW3CA0QRVD10EY80ZQ', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'sub_01M8DN1QHS47V0W9J687GGP7S1', '8254c329a92850f6d539dd376f4816ee2764517da5e0235514af433164480d7a', 'sha256:eae15f4f05c569302011752f258399411eae076211039bc48a67bd20f281a38d', '{"source":{"name":"n","url":"https://example.com/a","ref":"HEAD","path":"."},"capsule":{"name":"c","environment":"e"},"options":{}}', X'02000000027DC1F65DAE38D96F47CF62440D7158663635F4D2EEE33CEE812B996B1C73', '[]', 'syncing_source', 0, '{}', NULL, 1795754615484, 1795754615484, NULL);
INSERT INTO "plan_artifacts" ("run_id", "capsule_id", "plan_file_digest", "lock", "lock_digest", "requirements_digest", "state_lineage", "state_serial", "tool_name", "tool_version", "config_digest", "addresses", "document", "created_at", "built_digest") VALUES ('plan_01M8DN1RMCWJNCEWCEMJWRHVQW', 'cap_01M8DN1RHG6WBPFHYP32D661QB', 'sha256:3b9c358f36f0a31b6ad3e14f309c7cf198ac9246e8316f9ce543d5b19ac02b80', '', 'sha256:0c030586945fe504b604ecc2e875c38ede400cd5cd73da9730302162e6b02c6f', 'sha256:10762e1094dbeeaba59c58cec8a91b71b99f2063f7f1f20e5c0e3e635f42b2df', '', 0, 'tofu', '1.12.6', 'sha256:b79606fb3afea5bd1609ed40b622142f1c98125abcfe89a76a661b0e8e343910', '[]', X'4D8D3D0AC3301483EFA2D984A44307AFBD4397D2C1D84E6AA8FDCAFB1942C8DD0BA903DD3E4948DA3013D7A0F7CC52A8C163828312BDFF9C61BA0C573888D51A7885DF1052821F1DE22BB4251F98B228D30A3FEE0E9C858C6316F8C7D3814C3FA65D242EB3762C6169245A62CFCEDE8DACE9316BEDF7914E6BFF02', 1795754615446, NULL);
INSERT INTO "accounts" ("id", "display_name", "email", "created_at", "password_hash", "reserved_at", "disabled_at", "email_verified_at") VALUES ('sub_01M8DN1QHS47V0W9J687GGP7S1', 'Local owner', NULL, 1795754614330, NULL, NULL, NULL, NULL);
INSERT INTO "sessions" ("id", "token_hash", "subject", "user_agent", "created_at", "expires_at", "revoked_at", "last_seen_at", "made_by") VALUES ('ses_01M8DN1RE13A5ESEVSH0D0576V', 'bcf1d2240f257578b816c60665bea71d4638801989329df69ac628493ad86684', 'sub_01M8DN1QHS47V0W9J687GGP7S1', NULL, 1795754615233, 1798346615233, NULL, 1795754615233, 'operator');
INSERT INTO "installation" ("name", "value") VALUES ('id', 'f0ac42d061484b11b23b115d6a55818f');
INSERT INTO "outbox" ("seq", "workspace_id", "kind", "record_id", "status", "created_at") VALUES (1, 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'source', 'src_01M8DN1RGWNE25PAY0X3R5Z7P7', 'active', 1795754615326);
INSERT INTO "outbox" ("seq", "workspace_id", "kind", "record_id", "status", "created_at") VALUES (2, 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'run', 'plan_01M8DN1RMCWJNCEWCEMJWRHVQW', 'queued', 1795754615441);
INSERT INTO "outbox" ("seq", "workspace_id", "kind", "record_id", "status", "created_at") VALUES (3, 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'run', 'plan_01M8DN1RMCWJNCEWCEMJWRHVQW', 'running', 1795754615444);
INSERT INTO "outbox" ("seq", "workspace_id", "kind", "record_id", "status", "created_at") VALUES (4, 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'run', 'plan_01M8DN1RMCWJNCEWCEMJWRHVQW', 'succeeded', 1795754615445);
INSERT INTO "outbox" ("seq", "workspace_id", "kind", "record_id", "status", "created_at") VALUES (5, 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'run', 'plan_01M8DN1RMWC4Z4FS5911HZ2G5B', 'queued', 1795754615454);
INSERT INTO "outbox" ("seq", "workspace_id", "kind", "record_id", "status", "created_at") VALUES (6, 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'install_plan', 'gip_01M8DN1RNW3CA0QRVD10EY80ZQ', 'syncing_source', 1795754615488);
INSERT INTO "outbox" ("seq", "workspace_id", "kind", "record_id", "status", "created_at") VALUES (7, 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'install_plan', 'grp_01M8DN1RPHBC4EXGVFAWZF2CJ9', 'syncing_source', 1795754615510);
INSERT INTO "outbox" ("seq", "workspace_id", "kind", "record_id", "status", "created_at") VALUES (8, 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'connection', 'conn_01M8DN1RQ9SCWWK9MZEEZTWYV4', 'pending', 1795754615531);
INSERT INTO "outbox" ("seq", "workspace_id", "kind", "record_id", "status", "created_at") VALUES (9, 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'source', 'src_01M8DN1RQWXYFG16DJ25QPQ8EA', 'active', 1795754615549);
INSERT INTO "outbox" ("seq", "workspace_id", "kind", "record_id", "status", "created_at") VALUES (10, 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'output_share', 'oshare_01M8DN1RS5AB2BD5C51GB0NH27', 'pending', 1795754615616);
INSERT INTO "outbox" ("seq", "workspace_id", "kind", "record_id", "status", "created_at") VALUES (11, 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'dependency', 'dep_01M8DN1RV5388FYA7VCNRYCQF1', NULL, 1795754615654);
INSERT INTO "outbox" ("seq", "workspace_id", "kind", "record_id", "status", "created_at") VALUES (12, 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'webhook', 'wh_01M8DN1RW4NEC5MMT2D8KPYCPS', NULL, 1795754615687);
INSERT INTO "outbox" ("seq", "workspace_id", "kind", "record_id", "status", "created_at") VALUES (13, 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'webhook', 'wh_01M8DN1RW4NEC5MMT2D8KPYCPS', NULL, 1795754615713);
INSERT INTO "outbox" ("seq", "workspace_id", "kind", "record_id", "status", "created_at") VALUES (14, 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'webhook', 'wh_01M8DN1RW4NEC5MMT2D8KPYCPS', NULL, 1795754615770);
INSERT INTO "outbox" ("seq", "workspace_id", "kind", "record_id", "status", "created_at") VALUES (15, 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'interface', 'if_01M8DN1RZ62GBZAGWKDBCJTNMH', 'Resolved', 1795754615785);
INSERT INTO "outbox" ("seq", "workspace_id", "kind", "record_id", "status", "created_at") VALUES (16, 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'interface', 'if_01M8DN1RZ62GBZAGWKDBCJTNMH', 'Resolved', 1795754615847);
INSERT INTO "run_feed" ("run_id", "seq", "kind", "at", "payload") VALUES ('plan_01M8DN1RMCWJNCEWCEMJWRHVQW', 1, 'status', 1795754615437, '{"runId":"plan_01M8DN1RMCWJNCEWCEMJWRHVQW","status":"queued","policyStatus":"pass"}');
INSERT INTO "run_feed" ("run_id", "seq", "kind", "at", "payload") VALUES ('plan_01M8DN1RMCWJNCEWCEMJWRHVQW', 2, 'status', 1795754615443, '{"runId":"plan_01M8DN1RMCWJNCEWCEMJWRHVQW","status":"running","policyStatus":"pass"}');
INSERT INTO "run_feed" ("run_id", "seq", "kind", "at", "payload") VALUES ('plan_01M8DN1RMCWJNCEWCEMJWRHVQW', 3, 'status', 1795754615444, '{"runId":"plan_01M8DN1RMCWJNCEWCEMJWRHVQW","status":"succeeded","policyStatus":"pass"}');
INSERT INTO "run_feed" ("run_id", "seq", "kind", "at", "payload") VALUES ('plan_01M8DN1RMWC4Z4FS5911HZ2G5B', 1, 'status', 1795754615453, '{"runId":"plan_01M8DN1RMWC4Z4FS5911HZ2G5B","status":"queued"}');
INSERT INTO "runs" ("seq", "id", "workspace_id", "type", "status", "created_by", "created_at", "started_at", "finished_at", "heartbeat_at", "attempts", "capsule_id", "source_id", "plan_run_id", "apply_run_id", "execution_authority_epoch", "base_state_generation", "plan_digest", "plan_expires_at", "superseded_at", "superseded_reason", "error_code", "facts", "detail", "input", "journal_offset", "capsule_name", "run_group_id", "group_layer", "group_seq", "plan_seq", "cause", "applied", "runner_pool") VALUES (1, 'plan_01M8DN1RMCWJNCEWCEMJWRHVQW', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'plan', 'succeeded', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 1795754615437, NULL, 1795754615444, NULL, 0, 'cap_01M8DN1RHG6WBPFHYP32D661QB', NULL, NULL, NULL, 1, 0, 'sha256:64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525', 1795758215430, NULL, NULL, NULL, '{"policyStatus":"pass"}', '{}', '{"installConfigId":"icfg_2d9517bbc0620efa","configDigest":"sha256:b7d64a9221007dfd5390f7df6cd5b8f3ea4f82faa1237141e35ebf161f5511a1","reportId":"report_test","sourceSnapshotId":"snapshot_test","requirementsDigest":"sha256:10762e1094dbeeaba59c58cec8a91b71b99f2063f7f1f20e5c0e3e635f42b2df"}', 0, NULL, NULL, NULL, NULL, NULL, 'person', NULL, 'local');
INSERT INTO "runs" ("seq", "id", "workspace_id", "type", "status", "created_by", "created_at", "started_at", "finished_at", "heartbeat_at", "attempts", "capsule_id", "source_id", "plan_run_id", "apply_run_id", "execution_authority_epoch", "base_state_generation", "plan_digest", "plan_expires_at", "superseded_at", "superseded_reason", "error_code", "facts", "detail", "input", "journal_offset", "capsule_name", "run_group_id", "group_layer", "group_seq", "plan_seq", "cause", "applied", "runner_pool") VALUES (2, 'plan_01M8DN1RMWC4Z4FS5911HZ2G5B', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'plan', 'queued', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 1795754615453, NULL, NULL, NULL, 0, 'cap_01M8DN1RMXNXPBJGKZW04HHR3H', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', '{"installConfigId":"icfg_test","configDigest":"sha256:b7d64a9221007dfd5390f7df6cd5b8f3ea4f82faa1237141e35ebf161f5511a1","reportId":"report_test","sourceSnapshotId":"snapshot_test","requirementsDigest":"sha256:10762e1094dbeeaba59c58cec8a91b71b99f2063f7f1f20e5c0e3e635f42b2df"}', 0, NULL, NULL, NULL, NULL, NULL, 'person', NULL, 'local');
INSERT INTO "sources" ("id", "workspace_id", "name", "url", "default_ref", "default_path", "status", "auto_sync", "hook_secret", "created_at", "updated_at", "auth_connection_id", "polled_at", "code_host") VALUES ('src_01M8DN1RGWNE25PAY0X3R5Z7P7', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'Modules', 'https://example.com/a', 'HEAD', '.', 'active', 0, X'0200000002AF999FB9BB4E63420A5487A15DEE79E2F04C4C20513B184AB84F9621DCC45C96923F97CEC0D5FFBB5B5E074BEAD926F82C9BDDBF5CF122F6551487B2B38683DF18EFA6D503A74D57B5F905CA469F0D', 1795754615324, 1795754615324, NULL, NULL, 'none');
INSERT INTO "sources" ("id", "workspace_id", "name", "url", "default_ref", "default_path", "status", "auto_sync", "hook_secret", "created_at", "updated_at", "auth_connection_id", "polled_at", "code_host") VALUES ('src_01M8DN1RQWXYFG16DJ25QPQ8EA', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'Modules', 'https://example.com/a', 'HEAD', '.', 'active', 0, X'0200000002F63F53E45548AC75AE6414F753D7D9F5065AC2D91C6E881717F06F483F0B35EDBFF4752AE5C9F858819CF87A6E0BF974AE94493A24A446164967B489BAC296AFD521D87BE62749CB52B3D758E9E813', 1795754615548, 1795754615548, NULL, NULL, 'none');
INSERT INTO "outputs" ("id", "workspace_id", "capsule_id", "state_version_id", "state_generation", "public_outputs", "workspace_outputs", "output_digest", "created_at") VALUES ('out_01M8DN1RN06G16V07AEJFR3CSF', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'cap_01M8DN1RHG6WBPFHYP32D661QB', 'state_01M8DN1RMZQMT661BR8M52Z9PQ', 1, '{}', '{}', 'sha256:7b8c56be0a5f71be141f0cfaa9195e2ff8d1ef89e380560b579a82fd841429c1', 1795754615455);
INSERT INTO "outputs" ("id", "workspace_id", "capsule_id", "state_version_id", "state_generation", "public_outputs", "workspace_outputs", "output_digest", "created_at") VALUES ('out_01M8DN1RREKVZK0P4HNT2PA86P', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'cap_01M8DN1RR7SJJWJXD3T9S33G5R', 'state_01M8DN1RRDF4E9BF56RCF7MD2R', 1, '{"url":"x"}', '{"url":"x"}', 'sha256:7b8c56be0a5f71be141f0cfaa9195e2ff8d1ef89e380560b579a82fd841429c1', 1795754615565);
INSERT INTO "state_versions" ("seq", "id", "workspace_id", "capsule_id", "environment", "generation", "created_by_run_id", "source_snapshot_id", "resource_count", "partial", "lineage", "serial", "tool_name", "state_digest", "state", "created_at") VALUES (1, 'state_01M8DN1RMZQMT661BR8M52Z9PQ', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'cap_01M8DN1RHG6WBPFHYP32D661QB', 'test', 1, 'apply_01M8DN1RMZQMT661BR8M52Z9PR', NULL, 0, 0, 'lineage', 1, 'tofu', 'sha256:cdcd379f4227f001f5dfd74d41ede6ad1fbae576c1948d210bf6968ead7622ec', X'0200000002C55DFF46A71A917593CEF24AE1BF8B4C6AD8FD1445E1727D86414FD96A6653D9CD7A2DAAE6C891594648F07DA73700AFF93D961728D57AD294E465B3C71811747D30E7973A109C2983B3F769DF80F9747046C561896DC276D5009E11CB64C5338EE42E1FA26A2038358BB5BA1FAF2499FF5F4544EA77100CE47B17D6EB137663AAE0B84DBF5B2C', 1795754615455);
INSERT INTO "state_versions" ("seq", "id", "workspace_id", "capsule_id", "environment", "generation", "created_by_run_id", "source_snapshot_id", "resource_count", "partial", "lineage", "serial", "tool_name", "state_digest", "state", "created_at") VALUES (2, 'state_01M8DN1RRDF4E9BF56RCF7MD2R', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'cap_01M8DN1RR7SJJWJXD3T9S33G5R', 'test', 1, 'apply_01M8DN1RRDF4E9BF56RCF7MD2S', NULL, 0, 0, 'lineage', 1, 'tofu', 'sha256:d0ac1d7cbf41c8aa1eb6567d4fb8945b8b968ff5f1c0f0d926ab171f910107b3', X'0200000002C19E63505A8CD9C9FF3E77A278BB6CF6082CBF4FDF5D54FF0783974AC0B32DF13AB4D1822510FC041490DE18DAC4BD992722B1A54C780468F4FB6C717182B2B4C01F3F322BDC02978F2C174EF8132C0B5C0E7E52586C818B19DC9967E16694AD6C0B621D422FE348500A6AEFA4942D9C0861AD7E98E2E7B12C5613ADEADF39BEDB410AF2DF65C1', 1795754615565);
INSERT INTO "members" ("workspace_id", "account_id", "id", "role", "status", "created_at", "updated_at") VALUES ('ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 'wsm_01M8DN1QQAH8BZ8X48HFKY4266', 'owner', 'active', 1795754614506, 1795754614506);
INSERT INTO "projects" ("id", "workspace_id", "name", "slug", "project_json", "created_at", "updated_at") VALUES ('prj_default_ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'Default', 'default', '{}', 1795754614516, 1795754614516);
INSERT INTO "workspaces" ("id", "handle", "display_name", "type", "owner_user_id", "policy", "archived_at", "created_at", "updated_at", "drift_schedule", "deleted_at") VALUES ('ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'main', 'Main', 'personal', 'sub_01M8DN1QHS47V0W9J687GGP7S1', NULL, NULL, 1795754614505, 1795754614505, NULL, NULL);
INSERT INTO "data_keys" ("scope", "version", "master_key_id", "wrapped", "created_at") VALUES ('installation', 2, 'mk_0d4ef9cec74853d9c642d899', X'D6675D8E19DD9A74459F32A67A3FB841FCBCEA9457AC3CBB4C937237171A03956106ACA0CA17FB3B0E125DBA9B6C449D2D83FAB0743BFB9E9B22AD6C', 1795754614451);
INSERT INTO "data_keys" ("scope", "version", "master_key_id", "wrapped", "created_at") VALUES ('ws_01M8DN1QQ8GE3CX0Z9D671BB28', 2, 'mk_0d4ef9cec74853d9c642d899', X'990F6FF828FD07231DDF0F616C6C425D659F1DC595E6A86C5E8ADD43CBE2BFB9C1C9BFCEA2094C66B69A9D1C3F01EC0D4EEF34937AE722D8731BDD13', 1795754615324);
INSERT INTO "installation_secrets" ("purpose", "sealed") VALUES ('audit', X'02000000021037FDEEBA7F9A43411075B7744BFEC7DB2F39AA8EDAC64B67432C4FD112613B2EEA95B54A3F1B008DBB46583C07F6142C2F32D0D163B184AF8FC6B9');
INSERT INTO "installation_secrets" ("purpose", "sealed") VALUES ('install-plan-digest', X'02000000028D94A37AF6873045333CA617FD5F2E2121B346D3156F6469AE0F48E5E791C54243AD3FD2A1D20EA752B841D290B010262F777045952A44863CBAA5EE');
INSERT INTO "installation_secrets" ("purpose", "sealed") VALUES ('revision-plan-digest', X'0200000002528FC9B59959D3BAAFC584FA191E6F43E8F0811279A5A91A94E1AE81F602A10BDBE1EDD3408FFF811F1A8A6BBD8579DAD8E0012EDDA4DD60782621F6');
INSERT INTO "installation_secrets" ("purpose", "sealed") VALUES ('resource-digest', X'0200000002DC17D1A819ED09F2C4E6E9084D62990704D96F42174490961FEB121FBEE0C62AA64FBB3FE2BF318644A55E672D9E67CD36A09EE1FD2829E00966F1D8');
INSERT INTO "master_keys" ("id", "source", "state", "params", "canary", "made", "keychain_missed", "created_at") VALUES ('mk_0d4ef9cec74853d9c642d899', 'passphrase', 'active', '{"salt":"/Hi29+qjGKolwzPH+4hiiGZINPfGOsivOZxHKo6pFkg=","n":131072,"r":8,"p":1}', X'44C88F5565E524C6E2DE48FDA4651D39D27246CB6F548F68EA7430443E7F9EF32FB3F4A552C90AA3D4CC', 1, NULL, 1795754611738);
INSERT INTO "connection_materials" ("id", "connection_id", "workspace_id", "kind", "name", "sealed") VALUES ('conn_01M8DN1RQ9SCWWK9MZEEZTWYV4/env/GIT_HTTPS_TOKEN', 'conn_01M8DN1RQ9SCWWK9MZEEZTWYV4', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'env', 'GIT_HTTPS_TOKEN', X'0200000002D5785415446EF332787408175CAA8E52567C960F0006759ED667A882C81394DABC2796193291A096A74A1A53E0973B1C97D9F531492715DEE58A5F03303B8988041CB2E46CF4EB5AAA035A84CF6FC9D6AB25314A9044DB25E7BA6789B8AD9C5C2BC4C6BFD5B143C58862FF65424394DF439B26252A266EF2CF636EEEDF645EBBE5C3B71D23EC3C401B45968066CED71008D5BCF934573D63766FDFCDD0B272B55D7D6B595EB36A65E8F01A52D2E837F0B197573F522C64D3ADD764EE8606E27394C1653009078214E38CCF43872C1BA9D1D257E0EE98F871A78E852B958F6968D143112F5207001E865AFDC8F851072B68E7695D406A19BE49B14F46C4A46A6FCC25FF90B0CB1F60F6163589F0DCAC192524221837B8EB8929388F98801B7553F7321B3EC5CA044EFD91833C40259C918CB2642B4F981ADD26A0827AE2CC3360050D1ABC3472B045BFCE48C9160F605AE1A834E1675B4FD9D8C3EFF28DA7AED334E6BA2BB455379459951BD807A077A2F37D9F8CE02A05F7D97175CC191ABB7BDC98133D5F0F3DC5E9A5978DF07610886E4C7E7B5996FE9792760A70E09FEE46037B9077D1C01333889FAA6689B74DF3073D4490FC77BAC3183FB2F4B64BF58029F6405093EE60DB403670FC241F572F7049F14FCCB5B3F72C71445D21836EEEFE59F618FE309F3CE8EA07FC7418E767950E874BA57921418AE097401EBD52C12244C9C1C10F6278EF6D5A2F997B44F9A719CE289D7DB847B66D0504CD4AD51D55025897B4E12474A1E51D8A4692F123CB575951BAEA4A3C4FD36B8ECB7A7E929F668970AC106CCB38D861638D5875C4220C57CE6B2BB539F65A2303934D9BA51A8CBE34EDF6B22B86F6B46DB874DFCB47E674C386D10D64AB0E246532EDD3FC3A642C6989668C477EA39AAAA59EF884BBA31F87B92C442554C3D7195072FEF2366E4AB4BFFDAACAF4B58A21991097A69630F6B8E1E418FB25692F15346B104EC465D57DD4FED3FB96326C1C7EEEAE91A9A8FA9ABA3669E499D8E91C89E18F64DCAC4DFB6CE39FD16277249B826564C60E54D064ABF0611A48E5C49165EEF6AD2B0ED32DAEBDB24DEFACE00A04F7A136A59915F44C4F022540DBD75AF9CDD5B35B0E07077FC6AAB49BF425E88D299D61671E29071307C274B9D55FBD2AF3D010DCF86C099BC0EEA33CF399800C72708BDA90247427030E1083112C166908E02D443AB07F4B99C0B37D873EAA4322849B2E1AA21BFE8C22533C6BDD249091E93ECBF21F7B13DC2662EAF2505B30E8396EBBC6B163B0A88E655D15F425DEF31B72DE4EC9B2019CCA9002BDC31137CAD1105709BF49571D4B7044A7F2C08D79F118683C672F17BDC74F9BB7291E76BE52B8FD6A0FE23BEF1D4C4CBC6C561AB42A32C9351D3A4D51A004CF7E6612F870728CEBDFACC9722A821CA1F7312B0452403DBA3ED13A12BC74931E49C4100EEFA93B839BA5E32182C6947742952E389A6516D5141B1D06F496DE6E58868CA508011D2CD4B10C3AA88B3970ABE61D5080B5854B984A503D29A81278ED8FE6252BEF74452184C665CC4098C6D2DDA802115952EE6C8BD979534F212BE7DE96F7B5D2EC8B460CAC1B67CE00CFE7E5894D503966585F85B0A8E8E62A56A457CA483A4A97A69458589C1B137D595FCD1A5E01BEB161440879CDB7AAF0DF502590DF8532F6CC9FD47A05D6BB295D50B01C57208ECB66C46C668F87C920E3DA8EDEBE7A98A10A60560BDA0B7B1719E4789208BC03BA8A182904BFB35574DE17FEAAFD7E95F27707407FDFF5B7F29DFF49467E30402CB3637FE9AF180A05F0A3861C4EEEAD4940ED37B8F8D3CBA6E0798F62F9A071890D213480DFF9FA449F948A155BA1B1323B773B08C962BEC3D69D7BBB289537546AF22D280B012CB30CF3A52A4D97CEDC76AC8834B8F00FD6A1AE2CD1BB58EB52D8B8F299471A532827EA51B4FE6826B81B738956A1EB081B6628720BB3386BA40C634ABC5B06631C0B1991718AB9869EE9AB5CB472B9D32F5D651E748D75F55D876CD67C4B13E1F115FD87812A43CB2212497BED30CA84ED82148032320D5060F3547E91378BF118CE309C9C523A961FA449DD4AD834B9E7AF4B0E19CD237CC381BFC2E6AC26B7AE6BA2969F13A9256E46D2A94CB9111443C8B925BC43B1949C937FA42D3D5C495F5D5B2AD2E7AD2FC7F23FF687197C78B930A48F8E4FC00E7D371692C6D2B6A492AB8207674134EA0BEBDB25C250EC627F0001AE38F2F4696C08E7EA96CE205BD41B7E85FC47E658B4D748BAE6FB82DFEE4B9EBDDA918B59AA72159E82823443661654DE6E3D10BC091ED4159C69B18A20DDF5D4E8DAFC5DCFCC940E75ED54D6EE9C4B184E51D996BCC8934C8A1961BB192699AC36F022C2196C7AE35F4AEFE74B488FEBA1EF2D6B2A2DBABD079B1F77A2982FE25F4E7A5476A9E868AFC0F7B95071C80AF5F02954590D50D93FA1D3D5CB50D92EDA9C66C247C0E7AD1B8E4BD3121754E98B1E4F55C101D975DBE97B0BA95468174CB58313E58575F43D11E7CD7D3E64AC54E07FABD950AFA841535FAEB456EE909829672BBFFCC7B58D701B687511182F82DBEE7A163E6D2DE7B49A1E7105AF3BCC6B10E8010A0504FD95EF45278A670B5E695C420BB231C27E77A87894172C9F1C2AB8D7C85763BEEC94CFCBBBCDF542A3A7CBCD87370139CE50AFE513D3B9B6FB21B59ABDC953A9E54BBF574D72ECADCC931FC843A16B1F64EA22F77FD7A900884D65F305C4F2503C16933C8DD1D3583A83D3A7C7761043CCF5E881A11E8D82D4EAC7C99D0B67FA7ABEAAAEC2D65E28226CB303B37A655107BD59E64EB22186E6F1555B2FAB0A77A5744FCD48AC7CE7A13501C1979C4446E6833A8D8C28AEBCC6CF68D18A78AD1FEEF4A2FFE1F84C4C01B1572093F75D9D638E5BDB2F9836B4023FD39D48CEC522F7C569ED825D6A8126098FB2DFCE4A6783B2DB2E266684FEA968F9D525752A87A9F72B4A072332CE246BE91222DFA1BF1A1D8710405C8AB8AC29A7524A317B3B0784D5003336D32A05182C0AADA29C03A85503AF3AF444E8C9B645251BF658ABEA064D84C5E9E299FB59DB2890FBE4DBDEBC3C203A517F26E96F953F95AABF3C4043A70C015882DF9FBA36242D96EDECDE03A483B1AD0AD3476B664656C5C7D0E0CF40CDFD49379E3FF75C22CF587AE18E9DCE925622289A906B329D176DCDC6AE1365249EFCE92E8A7444D6F32B5A245DB7562B7FBD93E6B1A65D7CE86ECA6E622598369C96FEB37EF7D070D4BB12BBB31B222E7954D81C8EDDDC90669547A170A6DF5D67CC59E5EC210B5E0DCB5C3BF4FBF838E8257188CF599FA6501AC2AB1778A7A74C957D86FBD6DE9DAAA558A52685880A0DD7B362FD08A5AF2422451C096882152546AE8A58F96B511ECC70EC11093B1E7CA72640B3659B5B713FAD44DAA06F4485F49C20F633C067A94FD8C34CC9B7C17D3967939D6CFD7A62C092DC15302D73E75153A4406D37B1194C2DA8892E795A70EBA76981CF383C3FEDCE46B6E91ADAB605BB7735C97A4EAF616FF909E566745B6845D8CD16531A95A51F0C6433A1D428E8FAAB6BF40EC090B8ADF566E759DA7D47F7CD1CCAB10F19067F03ABA05A6D9A1FBE5C05F762D5E73EB5BDC0C7F8560D5604338D51E0A266B49EF6673E65666315F844BAF0450A7927D19F6F66D3999E4FE2204209458F38376F5B3A9DA6D7E63087117CE97E851FF806899F2AC923B14874574C3CA7D12FE1B4AC55A2AE19CDEC23A88A5BFC0C3DC00C06DD31D39AED21519709C0379F44576E021514BC06411E88CE215A4E519286F7267E966A99923A8C64CBA009CAEB10FC45E7E8ADABE5B0BAB84EB9E5F2FA1A4926A07258CF0221D89A37A51722E672963FF1363B5DA77513FFA49CDDA59FA51057E8E578795A253D28509025EEEA731CC9ACE753223B011A4C9A03926F3EC7EE6F8F1AB02B676091733D67C4F292A3B6DC2DBB91E7466D0EF1BA5BCA3F17D1D3C9DA9FAEF7C943FDA3A0A057D05475CFCF6B514D61D713E4D027771D8CD832800DB6143085048BAADFE0A661E49A0C50C377129C1D7AAF9CB2F5A03A72375AD1905CFE541EAC8C8295B11184E4CFA25481FFAC87E1C8A00B6F7ABB1C54CB76F5866088AF62C5C6FA7A52B1E7301CE069D89933C5F9939C464EAC3DF4020A5CDC2FEC2E44F0B60160BC0B686023941B2FD49882D208B79FE22A711BBC7BEFF32D4C95BA7E48F44F2798482E5ED6FA1BA4BC5474B787B830D9D8666F17C840D5D7F4E18F50FB738CC434FC16C9C3B8974B2390D01247DA8E14B8ACD76074975A9A8B2CBD6B41DC9E0CCAF3B9F0DFA5E0D41E561AAC03283F35B4FE46653A92BA608BA90C679F0683743F11A3D220E9D75C5B476CFACA32D7D6F60F0E1278196F307D9797439E00A070A383816D870827E298F182C8C263246A72C301DE70F0506352F13A6A2FAC8EB2FD581BD515996832B58065F84AF5090CD0447881447E30E1DAF5C063B3369AE8FA7690BE7C6B1576CA144D46278D744405BEC188D87862021E55D85F63722EC9528124F0DA763BC228391C585EBA3C060DCEA0A4A86B80140348DE033C81D698C9C6302E0D4B92E10883BA57AA11AD692FD546086D51E6971080E457E321B4A84DCFD4375316C442865595BA6B0AAD72D8B6CBA52A53692DB670AB37CB83F58BD25DDC4F733B15AB32733317CAD6265629FD5C4E9D113EE7A0C56959D7934E247CA5DB47C2F2C2677C06A41677AAA771FF8AABE8189E342119C3B7106A6FD06F8592BCD3F142F1F9A60129C3E3996FAECE742418402F3752C64026799AAC01408B208AA9C70393263F07985F86F26F5E75E3203C5D413DBD0C941B18B2CE253ED9BD0BA85428B56D91ED069A991540A9A8D8A2B6317BFD0A3A634AAD591AFD94664C3E2D3A82D648C1741D5886ACE3A7434A76FC6ED192B156D0C405D4CCEA29ECCA3D78351B013D34E0213CFE2F66F3EB6DBBD29EB727635701F90C64ECD1C8DF032D9F57C3C7ABD272C2905D765008C66B98E4DF82838DB0DE2C5D8CCE4E77DC0E490358E2CA37D6775F7D9D501A35B910FF461598DF1C094949E0EFF6CD7ABB7F39B834F2C0BB2235AA283DE129CA906D7EB390C87BC12001B0BD3AA98FA8293E52EF30A333FC887C3094E9635E610863EC2CC01E9FC9AFA81AE469CD645F661D6C73E581E166A56E49F0DB1143BC83ABEAC69DCB69B40C6B6E14DD791A977214835C817CF69F311BAA25CD8AF05CD49605C2B24E44314BE722254E26742B565B413AF95899350C9519A9303776F10C0B0332217A10DCB4198C15534640E465715F3321344AA8F5844ABD3BE04553BE3C081A3D0F77044270EBB1F95C92B8F5AAAC20987637F85A716637393E3637E2E0E5B98420618499161C9795E7F067DA081541ACBA3126959703998E435BA2F001302294408D5CD8166AA049EB4E311E3BFFED58DAAEC83A9BDB4D6225F6C65287440FAFC2DF3187A1F4CAE2CD19BCDEC8215C1F42F6FB1EF16A79CC1DD546DE9BD564D63FEA6CEF11359604E2680041898202E293365D8D3DB05BDCBEA027E7CFC338245D33C6BF08A45900A4705DA80C33A4573220B9E0060BAE08554AC02EAA92B489DE572C494283B1A2A79101C3AA492AE8DBBAAA4D2B97BE716BE4EEB703E88EACE37A535FEBF4FA2E4145DE8E8962FC0136B4AB028FF1B8411CA121E70EB425C59083772D6B56F250C4564E8374D466903E830AB0F355E0C00B54602DA52145AC94E692221AD27DDAF07113606A01C6261D060ED6F167530C848160305732F95F04858972BF11656640DDF09E17E612714127F05E3DBA3B320E4B07D8862D5E0C5449E656120BCF5AF38C6AF15FBA0926F4DFA7DB436F564EAE08782E102523A55A31D26B993824F30B08043471170BB19550626BD4F20BA6FDBC957153C3C922309D7FF4D5B44EC768842451F31CB337490D37D2C29E73E1AEB689C3A0534E98CC18332C011F14C36A59C61D1ED83AA20900F43C65998FC46330C6E384C0A7F1D64FF5B00EE68C0CB2D9A7871A180CA450E26309ED748C49BCCC41CF11E09866F7AAEFFEEB03A60FCC79548D01AB7D249868C2C456CEBB933E030E528512412CD521C588893253847BAD0D1A7FB6A409E2F0B473AFB8C53F4E70471350D481F0B767814C1ADC08FE0A6BBF7E206347897160534A655CB86AD733A6728D42D3A1C3532716726AB4B1C50F2BD237A76E13E26FE7361B555F2D274F0A14EFD5DF428937B0C2CEAD48DB5D32B168EA038C9FA8228F9AE52CEEEA09A0BCAD7B999AF5A963513C910AA4EB2724A9D929D34F443D53C77F1B732460B36DA86FC6A67A12FABFC8E918F3FE73D87C1EC47382D7F236F4F9B29FCB5B1096222DE90BFEC318A53318D6718824D5EE4FC51DF47FA68F34ADC2144C7207BB22CB58E0395A8EFE8E30C03E7DB4E9BE48452AED9674C58989423CA10C199A31A43BAB4352696338CAB8CE1F30ED17C350CA0051A9CB360727114BF95EF970D4064598D948156F12BCC013793605FA842A54965179664CBB6FEB40C28F6CA724C5837B1819D46F3E6282A6C8D576EF3E241C907D31EBEB1A3486B7710A165E334DB442E9E157DB611B0A262FA9CA14FAEE44C11DE4911A8EEE720E00445530EB7F79B3B75BE7EFF387AD19CEA2BBE4BFF6D2F3A0AF2130E51C03170636C8D4A1B974BFDDC1654CAEBC2C4683D691A97B899DB5F3285D20E1B17EA378E6C7DF6F4E34C68E38BCC6BF9B23C26F5D6592907D0A20697D5ED090C0D0CA1454054F10E7FF420702D4BBCC94F289763AD9B9533A8A3E1CABF4E271B81B050A0F72815A247BD6F68F74F6222F802675F53EE659E90807B775635EB61953AD075925BF1AE980DD08156C830BD34453A7E4674A874FD1CFDDD3328CBEA19FEAD45E4A68FC3AECF78F7E576E3F892A08A248101237DBAEBF5DE6F8681F39562BBC122C375464A83AC53FEA2B546880717ED2A79082216FA5084ADBD3F7FA44DCCDD5F1259DB6AE7C4FEAC7E49FC6DB1C91E9BE5350457E28DCB4A58CDF8406BA872416892E3D71C4B87D0370EC8A2ABD114D4F28016EC25734ACDAE54949F853C5F9CB0CD38BFCF82F3874DEAD2C9F3BA3667A47A8E0B246BF478929193D15D10531EC0F8A456636BD8E4DCACAA816ABF563D8829034DD171F355D61A6CE1BF2BACECA956DBFB9D2785B810C1E4D87292C23D2FE281ED2E7E2374E1D4835429C539F711C21F6B623AFDAB6D4B282A7931AC61CA19781BDB1B919C2BA29707A92B52DA6E6B86F19B248383F0025F5AC2DC238A21DC4418BBB723C23D378DEA586FB7C5ED8CB637E96228327A745FE1B9AC02FFF8302DB15C50E87F787AC0728D8093F8D04C69269B25A2A4553030C431A5176E4233FCB344EDC5F696B61D17CE91CF6FD5C5C0826E1B22D067BE785CAF0668B16147A41D5405B5107D7A4BCEDEAE8EF610151E53DC5DB1FF0E800DB4C1A70B055B5D8D2038BEF868F4E1F10F0A24E9BC65F5D1F7431D8247781429C310790D1DDF6027512723C709370BF74128A19DF9CE68FE9AFA9A16D8DC2A746AC22E52CAD87E9AC27780B4E9603E06A2EF22C65B81FA02473A0276A1F6834AE77E45C79D3C79445EA3836750060D795C20790A7B20C9AA5462A9582A82EE966A5239D4783582E2F1E2A6778CAA48A25D84D66FD2E27C0275E054525A58199F7D39E94C4E8AE58349804B581433BC4D0F249FDDD9CCF8C8D8B95D9CBEDD76A7C316F91DCE703063AB7A1904A47A930777FDF21B86D78E43F413A003834A5CEBFC4D61EB9C68358E454E7E6D92901C853DE66F001D9EF748D666853873FE52D19434851474B9B2D896E807FE0B46A4B883D52544D82455D8029E69D745D0CD7DD7852973A2284139537F0DEC306EFBC0029AEC36598DF560AA547CAF6B1705E6F5810E4A0C9304B437456277C9E118906951991F41E48B75ADDF9F4FB82F20C2E78701514670F214A94D33B93FDA0A7B5F8B000A816B3B952D54A33E43FBBDD35E1462905BEDB02A8D5109964103FB37BE04D1BA9EEE1B370060CD1DE569F2B5ED45448CE69CD84ED693BF12D8FF6DFAA50542D1C3E1ECA28B5AA2FE8BC82ADDA124C3E124D6920D4CAF71A044D25839CFD92430103DF889D725A8BC32E29AE1A276CB8FA30C175E7651A6A8067F0036C1FF6FDBABAF37CC9EDB11521F35557E45B9DA24DE73BC9D0EF3814B30A63860DC452DB51ACAD08113982CC85F491270E49985F08854C5BA9B9759A9B647A54601B309888C3684F762A2C16222BB4749568B92FA0829DC5D28F0AB1F1D64784B2EA6FDACBDCDA51132D3A17C8C2D434410DA28CD1F8B4DF5C1B7E09A1EBBABC95F254DE4729A437B74D814F2518DB7BD0A90E80626242EE782D00511B4F6D5808ECC27757D3174C965A96AF42C7A813D66886D43576807057292AFCE250AFF846E1D0EC023D681425FC0180C78CE3AAB1483BFC003B6AD4790BECD3FBF217472FAABB2AE0D30A5C531EAB976F17E84EFA8D06677E320285C3F34DE5436265E748872036E42175FABA9A4D7AAF9FC567C038C573542950753F696C7EFA25621F1B62B5359105202DF2B79ACD1D030BDEA82E8D08AFE9793CDF8688658FDEAAB10C5B353049D91EDDBCD9866CC22ACBEBD598A46909B70A5A5A368A050833671A7A0604F40B1EAE832B691521CFA14ABA95146796077F75813118A3BCD90EA00ED8002F862CFE016A47E8AED8AC1EA990161BB522F2974A4B35708AF5831DB8D9967155FD6BF5C1ACE582EBBCB8D69E6860ECB59577D22CDD51B60BD58F13DDF5061B45F43864BB2507E4E6BD5EC84431AAE2A804BE74EB21CB75F422C2434639C5B7E707889B1A46A0FF82797C0AFF23BBB7F5F210819A16F400D2A27335BA9DCCF5BF478F515DE6F27107D3838617F293C9E46B13510277EB4D9741950CD4EAE4EB04975419072B1D703DECCA2E3953A2034F2182548DD77FA2CBC22D7E28D89C69BA8AA2383010EE6852C55EB723749D8628AB75DFF4079363944AC4389268553F5A40E9184A8AAA52B293257C93EF6F2985863CCC10AE2051EC987DB00A7A5F2FC8ED1AF57D9096776971D2DC3FABD20793D9B388E3AE7BEC9E652909713353E40BFE3831C10766F75E3A510E70C99C8944EF1C0E4E2D92F272FC31C51E636910113B3C096A54DA715538FE69D1982B27300CE1ADA8C39FEC93BF2AE19E614AACDF594D775E1381128D33C93321FBCC80B7B5A8A108A8B30AF255863B93AB05258B5B0B06603D76390B9D1B40BB4D7B3483B2647A053CFC483E8EDECC720DBE68E44B7C8355DB17EFD73A8672792D22FE6B84A3ADAF4BB119B602DEEA3A7F426A71C753502EACC0EDE2CC079F144631C45ACC6607F38CDD8223A16698E68AA922CD67F8EEC2260AB27D2D611236C86DF9A2E9667EE88325789DC59D2C35C4DB58313873F1547C04C0DF149F3FACCA6EE8D5B1EC1ACD6B04881A0988AB9296F5DA53628E532B947333CD9944006695B501C3D3163BF9643898C6F32E6E81681739C69F1971DC29F8F799820D9EAC3A83B02FCA742E8C2F3798352AE97F816E01FBF46A2D53310CEFB43358EC275A9FAAA873ABC736D4A3C441A2D1876844B44C770CC52C8DD24B2B25DA5C960EA13A1772B78F587426772909B7862AC22BF9A273AFE728DA73912865DF914D40DD61EF7BADC8B968A2546B2760AAF08BEE1F5697F8FC8BBF86F14B18EA9CE13A68DA43CB316D706742E198ED21A5EF54E6E4D35AB6C02DA72510E60AE445E103160A0F6A1C13DDF697A7BB122988013C55D44C97E85C1D55EB58C121F621B732FD391A44346A85804424E46CE9148580C554F179E0BE4D12EB753BED614339B492A42FCBEACEDD6BE16BE31FD9DD7464E55E7FCEBE5B6257EBFEDB26A6A33773A6D15B13A509EF2CEE58170359EFBA3AF12183A7F599F306E9ACA7CC7B70E17EFD193A7F8CDB94764FEA93BB711107F0AD291AC3C8A95E5CDFCB9536B82AC382F31489151CD6442BD0735AA2D6253BE611A7B3D1C480873AE601C37B04501AA645DB1ACDA0179029CD1BAB01E07AC1F9ECC9622363C0137566D180CED1D4EAAF133EF2E7EA43466FB6C6CDE94FAE7FD71DD213F8D3A9831B3D757E819172845308B9C442095A19112404E36AF0CEF0AFDE5090875D8511FDD71EED56AF87080E87AB904E818D3784FD4B3F941ACAC6D667BCCFC2A644DE6329435580F42C685882B55FB83D9EE1060996D79684B176B3F0437030D6FF4F12B605C09DB1B710A7032B7AEDE6DF312F75010FD20AC4D69D4FBC451EF51C9B198A16585D3A093A33D282DFC9D8E5C2BB2D55F4A59F5E4B1D8EEC2F4C1C287F538D2DFEBF48AA57DD5E33A86DC62174172589F173B5BE66BC25655A3CE03C2FC461F763D0FCACA217140B7571037A8E568031ED87FA816CEF715B427D3488AD4B458A039135C83C2F38D313792B54083BAA99A2DCB566FDC7181C520FE3751C407A8F5D47ADDFBE9A8CD5E2EDA0634EB901EC075AF0EDF757590F80C686DC510E3C4F9495A30E8CEEF2BEA4FC1271AC473F3D903532C98C912999BA9B1FADF63B21AA1459FE1F73E0504DB06CD003DDC7C8E2D2E8BA7FF51350D49DBEA06E18954B71ECEF43E12DFD11081616C0FE00AF53AC20286DF2D92B382689ACA33C6D7899994F5318A63E2B1AC78476685D3814E05AEC361D3F24E0E48F2B205FA849FA5A67041F54AAE06297C8477A41817F41A22875AF5B585CF4D069CD40B5E5D1D012CD2AE1400765D8BDEBD2CAA4DAF95DC380AACB0C013271D58544AA460340A259CD5AB18EC9959B9625822C19D717E96F43A1CDEBCE6417CE85F9F21AD3AC6A7DA80FC228BB3D28B596A9E36B1EF9D9790E1B6D78CF7381D0ED4B0EFEBC7C5DF9662396064B780D9E1D7AA046AF7AEC7FCB365DCC37EE1189B5895DDCD5BBAFF1780F7D5B4EAE27032E0B99475D9C220E414A1E36B0D3417406E4A70176FF18D2BCB3F9A2B691E65D5FC14E654328A9A8794215ED1CCBCF5FBBE3A429D0D36B260012FB4DD117A6F458A82AADD7C232C97CBEEBF79EA7729CC0AA98692ABB05C1A7F4F13CD80D995EA60933C27233762A41A4709782279E70E57339CD67C4748E37B9A79369F5B25799DAD74FB30689A3879F3AF8E04AEA0E740B70286BD2792DBCCC7644792B598C3244CFA6ADA99110792CE76B235AB6675D583D0F6C977E9ED8A5B15AFE551B3D5E1FD20436326473345A960AA18F057DCD48601A4828370933B8A57CABD0AA7873768BB34737F4DABE29C3E2D197970DF0F2A3E12B4109612FF442CA68A3E0CD60510F2A572BD33B0671D9C2D715DC108E957C3A4832B0A7C6D41F2BE38A9FBA7C5C00262DD8A41F06E4370E6988652C9E8938055D9C56E80A70E37C815A5D4A999CE03266D9A87E35257A30E686DED90CE608CB38779CA0837882F2780F114EDDE6EC2EDE5CA5EEB9CCA58014005AFC2F54637A8FE8E606A77FC582DD8DFA4E6CD19247A7720D70E03A216CF86DE6DF7054D397E3D1FD4D6983995FBF4F8A72B73AF9753DA826CA7587CDAC3E570CF20FDA5792341F8E6DED29E1239F6CDD70FB217921043E79ED3DD444B9E0F3324C0652D1CE8B22A37F2E449ADB7347F3E99D5A2CFEAAF63A5FD2A8AA');
INSERT INTO "connections" ("id", "workspace_id", "provider", "provider_source", "kind", "status", "display_name", "secret_partition", "recipe", "env_names", "files", "scope_hints", "created_by", "created_at", "updated_at", "verified_at", "expires_at") VALUES ('conn_01M8DN1RQ9SCWWK9MZEEZTWYV4', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'git', 'git', 'source_git_https_token', 'pending', NULL, NULL, NULL, '["GIT_HTTPS_TOKEN"]', '[]', NULL, 'sub_01M8DN1QHS47V0W9J687GGP7S1', 1795754615529, 1795754615529, NULL, NULL);
INSERT INTO "dependencies" ("id", "workspace_id", "producer_capsule_id", "consumer_capsule_id", "mode", "outputs", "visibility", "created_by", "created_at") VALUES ('dep_01M8DN1RV5388FYA7VCNRYCQF1', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'cap_01M8DN1RR7SJJWJXD3T9S33G5R', 'cap_01M8DN1RHG6WBPFHYP32D661QB', 'variable_injection', '{"url":{"from":"url","to":"url","required":true}}', 'workspace', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 1795754615653);
INSERT INTO "output_shares" ("id", "from_workspace_id", "to_workspace_id", "producer_capsule_id", "outputs", "sensitive_reason", "status", "created_by", "created_at", "accepted_at", "revoked_at") VALUES ('oshare_01M8DN1RS5AB2BD5C51GB0NH27', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'cap_01M8DN1RR7SJJWJXD3T9S33G5R', '[{"name":"url","type":"string","sensitive":false}]', NULL, 'pending', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 1795754615589, NULL, NULL);
INSERT INTO "run_groups" ("seq", "id", "workspace_id", "type", "created_by", "layers", "created_at") VALUES (1, 'rg_01M8DN1RP996YQY3RKJGZQNXP5', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'workspace_update', 'sub_01M8DN1QHS47V0W9J687GGP7S1', '[]', 1795754615497);
INSERT INTO "revision_plans" ("seq", "id", "workspace_id", "capsule_id", "created_by", "key_digest", "request_digest", "request", "phase", "generation", "facts", "diagnostic", "created_at", "updated_at", "completed_at") VALUES (1, 'grp_01M8DN1RPHBC4EXGVFAWZF2CJ9', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'cap_01M8DN1RHG6WBPFHYP32D661QB', 'sub_01M8DN1QHS47V0W9J687GGP7S1', 'aa53d35cdecfe4a2bc65f25f9a20e040c9a1a9afe89366a0608b14cfe587dfc7', 'sha256:445c7cc5f40cde063ac3954aa1a8951953aa908c9d26d325a90811862425a1aa', '{"source":{"name":"Modules","url":"https://example.com/a","ref":"HEAD","path":"."},"capsule":{"name":"cap_01M8DN1RHG6WBPFHYP32D661QB","environment":"test"},"options":{"modulePath":"."},"revision":{"targetRef":"HEAD","base":{"capsuleStateGeneration":1,"capsuleStateVersionId":"state_01M8DN1RMZQMT661BR8M52Z9PQ","installConfigId":"icfg_2d9517bbc0620efa","installConfigDigest":"sha256:a76f18039ac30391088a663493d419376d676d006ccc3f1dedaf1cc0415cf4dc","sourceDefaultRef":"HEAD","sourceDefaultPath":"."}},"sourceId":"src_01M8DN1RGWNE25PAY0X3R5Z7P7","installModulePath":"."}', 'syncing_source', 0, '{}', NULL, 1795754615505, 1795754615505, NULL);
INSERT INTO "webhook_deliveries" ("seq", "id", "webhook_id", "workspace_id", "event", "status", "message", "attempts", "tries", "due_at", "created_at", "finished_at") VALUES (1, 'msg_01M8DN1RWR54T0M5R7NG634STW', 'wh_01M8DN1RW4NEC5MMT2D8KPYCPS', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'webhook.test', 'failed', '{"event":"webhook.test","occurredAt":"2026-11-27T04:43:35.703Z","workspace":{"id":"ws_01M8DN1QQ8GE3CX0Z9D671BB28","name":"Main"},"webhook":{"id":"wh_01M8DN1RW4NEC5MMT2D8KPYCPS","name":"w"}}', '[{"at":1795754615749,"durationMs":18,"error":"name_not_resolved"}]', 0, NULL, 1795754615704, 1795754615769);
INSERT INTO "webhooks" ("id", "workspace_id", "name", "events", "format", "host", "url", "secret", "previous_secret", "previous_secret_until", "enabled", "disabled_at", "disabled_reason", "failing_since", "failures", "paused_until", "due_at", "created_by", "created_at", "updated_at") VALUES ('wh_01M8DN1RW4NEC5MMT2D8KPYCPS', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'w', '["webhook.disabled"]', 'json', 'receiver.invalid', X'02000000020108EA8286B65A4DDC398D861C2FBEE557FB3B40F9CCC183A4CC2F1B51FB615F386A23860BC1141A46AE47BBE20E4817BA09BAD257', X'020000000216CEDBDB89842C9EC90236A3B7326722F3D0916BAEDB22DF033D25C5BCDC354D602D3F1D489550BCFAA8ACCAB6FAAA5782052EB60737BDB6C899D3981E87EAAA760497E03AD7B2C56B091CBE50F4', NULL, NULL, 1, NULL, NULL, NULL, 0, NULL, NULL, 'sub_01M8DN1QHS47V0W9J687GGP7S1', 1795754615684, 1795754615684);
INSERT INTO "interface_bindings" ("id", "workspace_id", "interface_id", "subject_kind", "subject_id", "permissions", "delivery", "spec_digest", "generation", "phase", "reason", "phase_at", "observed_interface_revision", "origin", "created_at", "updated_at", "package_key") VALUES ('ifb_01M8DN1S15RHZ2HQW2DRNQKNJT', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'if_01M8DN1RZ62GBZAGWKDBCJTNMH', 'Principal', 'sub_01M8DN1QHS47V0W9J687GGP7S1', '["ui.open"]', '{"type":"none"}', 'sha256:ca4ef7dac9af1d8011c833ff0ff94a366575d9ddaf6f48c07e1ce2e26f9aea3d', 1, 'Ready', NULL, 1795754615847, 1, NULL, 1795754615845, 1795754615847, NULL);
INSERT INTO "interfaces" ("id", "workspace_id", "name", "owner_kind", "owner_id", "labels", "type", "version", "spec", "generation", "phase", "reason", "message", "phase_at", "observed_generation", "resolved_revision", "resolved_inputs", "provenance", "resource_uri", "claim_uri", "conditions", "blueprint_key", "blueprint_digest", "created_at", "updated_at") VALUES ('if_01M8DN1RZ62GBZAGWKDBCJTNMH', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', 'ui', 'Workspace', 'ws_01M8DN1QQ8GE3CX0Z9D671BB28', NULL, 'interface.ui.surface', '1', '{"type":"interface.ui.surface","version":"1","document":{},"access":{"visibility":"workspace"}}', 1, 'Resolved', NULL, NULL, 1795754615784, 1, 1, '{}', '{}', NULL, NULL, '[]', NULL, NULL, 1795754615782, 1795754615784);
INSERT INTO "oidc_keys" ("kid", "x", "y", "secret", "created_at", "replaced_at") VALUES ('fYq_tF0aXvI-Oz4zwLm5bct45rwGXLBlq1tZx7BCJTo', 't5gtR9nj7i4kA4jzMfZ_G6H8B84x4FrGMT3GrHzpJMg', 'Mh5df-2r6VfVldxION-G_iMpZ5L7lrd5z1Cr82RB9oo', X'0200000002DF0DBACD92A12A1863C416B021C956F7CB4D81EC2ED170B46AF4F9901A49B6D9B5103639152810DD20123E9938B8196BD7668FA64820C4EE9B9C4A62C8BBB98A90E108A095293C', 1795754622698, NULL);
DELETE FROM sqlite_sequence;
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('outbox', 16);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('runs', 2);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('state_versions', 2);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('install_plans', 1);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('run_groups', 1);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('revision_plans', 1);
INSERT INTO "sqlite_sequence" ("name", "seq") VALUES ('webhook_deliveries', 1);
CREATE UNIQUE INDEX `audit_events_id_unique` ON `audit_events` (`id`);
CREATE INDEX `audit_workspace` ON `audit_events` (`workspace_id`,`seq`);
CREATE UNIQUE INDEX `capsules_name` ON `capsules` (`project_id`,`name`,`environment`) WHERE status <> 'destroyed';
CREATE INDEX `capsules_workspace` ON `capsules` (`workspace_id`,`created_at`,`id`);
CREATE INDEX `capsules_source` ON `capsules` (`source_id`);
CREATE INDEX `install_configs_workspace` ON `install_configs` (`workspace_id`,`created_at`,`id`);
CREATE UNIQUE INDEX `install_plans_id_unique` ON `install_plans` (`id`);
CREATE UNIQUE INDEX `install_plans_key` ON `install_plans` (`workspace_id`,`created_by`,`key_digest`);
CREATE INDEX `install_plans_workspace` ON `install_plans` (`workspace_id`,`seq`);
CREATE UNIQUE INDEX `accounts_email_unique` ON `accounts` (`email`);
CREATE UNIQUE INDEX `sessions_token_hash_unique` ON `sessions` (`token_hash`);
CREATE INDEX `sessions_subject` ON `sessions` (`subject`,`created_at`);
CREATE INDEX `receipts_expiry` ON `receipts` (`expires_at`);
CREATE UNIQUE INDEX `runs_id_unique` ON `runs` (`id`);
CREATE INDEX `runs_capsule` ON `runs` (`capsule_id`,`seq`);
CREATE INDEX `runs_source` ON `runs` (`source_id`,`seq`);
CREATE INDEX `runs_status` ON `runs` (`status`,`seq`);
CREATE UNIQUE INDEX `compatibility_reports_id_unique` ON `compatibility_reports` (`id`);
CREATE INDEX `reports_module` ON `compatibility_reports` (`snapshot_id`,`module_path`,`seq`);
CREATE UNIQUE INDEX `source_snapshots_id_unique` ON `source_snapshots` (`id`);
CREATE UNIQUE INDEX `snapshots_address` ON `source_snapshots` (`source_id`,`resolved_commit`,`ref`,`path`);
CREATE INDEX `snapshots_source` ON `source_snapshots` (`source_id`,`seq`);
CREATE INDEX `sources_workspace` ON `sources` (`workspace_id`,`created_at`,`id`);
CREATE INDEX `sources_url` ON `sources` (`workspace_id`,`url`);
CREATE UNIQUE INDEX `outputs_state_version_id_unique` ON `outputs` (`state_version_id`);
CREATE UNIQUE INDEX `state_versions_id_unique` ON `state_versions` (`id`);
CREATE UNIQUE INDEX `state_versions_generation` ON `state_versions` (`capsule_id`,`generation`);
CREATE INDEX `state_versions_capsule` ON `state_versions` (`capsule_id`,`seq`);
CREATE UNIQUE INDEX `members_id_unique` ON `members` (`id`);
CREATE INDEX `members_account` ON `members` (`account_id`,`status`);
CREATE UNIQUE INDEX `projects_slug` ON `projects` (`workspace_id`,`slug`);
CREATE UNIQUE INDEX `workspaces_handle_unique` ON `workspaces` (`handle`);
CREATE TRIGGER `audit_events_no_update` BEFORE UPDATE ON `audit_events` BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
CREATE TRIGGER `audit_events_no_delete` BEFORE DELETE ON `audit_events` BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
CREATE INDEX `runs_workspace` ON `runs` (`workspace_id`,`seq`,`capsule_name`,`capsule_id`,`id`);
CREATE INDEX `capsules_updated` ON `capsules` (`workspace_id`,`updated_at`,`id`,`name`);
CREATE INDEX `sources_updated` ON `sources` (`workspace_id`,`updated_at`,`id`,`name`,`url`);
CREATE INDEX `data_keys_master` ON `data_keys` (`master_key_id`,`scope`,`version`);
CREATE UNIQUE INDEX `master_keys_active` ON `master_keys` (`state`) WHERE state = 'active';
CREATE INDEX `connection_materials_of` ON `connection_materials` (`connection_id`);
CREATE INDEX `connection_uses_newest` ON `connection_uses` (`connection_id`,`used_at`,`run_id`);
CREATE INDEX `connections_workspace` ON `connections` (`workspace_id`,`created_at`,`id`);
CREATE INDEX `plan_artifacts_capsule` ON `plan_artifacts` (`capsule_id`,`created_at`);
CREATE INDEX `runs_open_plans` ON `runs` (`plan_expires_at`) WHERE apply_run_id IS NULL AND superseded_at IS NULL;
CREATE INDEX `dependencies_consumer` ON `dependencies` (`consumer_capsule_id`,`created_at`,`id`);
CREATE INDEX `dependencies_producer` ON `dependencies` (`producer_capsule_id`,`created_at`,`id`);
CREATE INDEX `dependencies_workspace` ON `dependencies` (`workspace_id`,`created_at`,`id`);
CREATE UNIQUE INDEX `dependency_snapshots_run_id_unique` ON `dependency_snapshots` (`run_id`);
CREATE INDEX `output_shares_from` ON `output_shares` (`from_workspace_id`,`created_at`,`id`);
CREATE INDEX `output_shares_to` ON `output_shares` (`to_workspace_id`,`created_at`,`id`);
CREATE INDEX `output_shares_of` ON `output_shares` (`producer_capsule_id`,`to_workspace_id`,`status`);
CREATE UNIQUE INDEX `provider_binding_sets_capsule_id_unique` ON `provider_binding_sets` (`capsule_id`);
CREATE INDEX `provider_bindings_connection` ON `provider_bindings` (`connection_id`,`set_id`);
CREATE INDEX `sources_polled` ON `sources` (`polled_at`) WHERE auto_sync = 1 AND status <> 'disabled';
CREATE INDEX `auto_updates_open` ON `auto_updates` (`created_at`) WHERE step <> 'done';
CREATE UNIQUE INDEX `access_tokens_token_hash_unique` ON `access_tokens` (`token_hash`);
CREATE INDEX `access_tokens_subject` ON `access_tokens` (`subject`,`created_at`,`id`);
CREATE INDEX `audit_actor` ON `audit_events` (`workspace_id`,`actor_id`,`seq`);
CREATE INDEX `audit_kind` ON `audit_events` (`workspace_id`,`target_type`,`seq`);
CREATE INDEX `audit_actor_kind` ON `audit_events` (`workspace_id`,`actor_id`,`target_type`,`seq`);
CREATE INDEX `audit_capsule` ON `audit_events` (`workspace_id`,(CASE WHEN "target_type" = 'capsule' THEN "target_id" WHEN json_valid("metadata") THEN "metadata" ->> '$.capsuleId' END),`seq`);
CREATE UNIQUE INDEX `run_groups_id_unique` ON `run_groups` (`id`);
CREATE INDEX `run_groups_workspace` ON `run_groups` (`workspace_id`,`seq`);
CREATE UNIQUE INDEX `usage_events_id_unique` ON `usage_events` (`id`);
CREATE UNIQUE INDEX `usage_events_idempotency_key_unique` ON `usage_events` (`idempotency_key`);
CREATE INDEX `usage_events_workspace` ON `usage_events` (`workspace_id`,`seq`);
CREATE INDEX `usage_events_capsule` ON `usage_events` (`capsule_id`,`rating_status`,`usd_micros`) WHERE capsule_id IS NOT NULL;
CREATE INDEX `runs_group` ON `runs` (`run_group_id`,`group_layer`) WHERE run_group_id IS NOT NULL;
CREATE INDEX `external_identities_account` ON `external_identities` (`account_id`);
CREATE UNIQUE INDEX `invitations_token_hash_unique` ON `invitations` (`token_hash`);
CREATE INDEX `invitations_account` ON `invitations` (`account_id`,`workspace_id`);
CREATE UNIQUE INDEX `revision_plans_id_unique` ON `revision_plans` (`id`);
CREATE UNIQUE INDEX `revision_plans_key` ON `revision_plans` (`workspace_id`,`created_by`,`key_digest`);
CREATE INDEX `revision_plans_open` ON `revision_plans` (`capsule_id`) WHERE completed_at IS NULL;
CREATE UNIQUE INDEX `runs_running_capsule` ON `runs` (`capsule_id`) WHERE status = 'running' AND type IN ('plan', 'destroy_plan', 'drift_check', 'apply', 'destroy_apply', 'restore');
CREATE INDEX `install_plans_untouched` ON `install_plans` (`updated_at`) WHERE completed_at IS NULL;
CREATE INDEX `revision_plans_untouched` ON `revision_plans` (`updated_at`) WHERE completed_at IS NULL;
CREATE UNIQUE INDEX `projection_pages_number` ON `projection_pages` (`state_version_id`,`number`);
CREATE INDEX `resource_changes_address` ON `resource_changes` (`capsule_id`,`address_digest`,`generation`);
CREATE INDEX `resource_changes_previous` ON `resource_changes` (`capsule_id`,`previous_digest`,`generation`);
CREATE INDEX `resource_changes_generation` ON `resource_changes` (`capsule_id`,`generation`);
CREATE UNIQUE INDEX `state_projections_state_version_id_unique` ON `state_projections` (`state_version_id`);
CREATE INDEX `state_projections_status` ON `state_projections` (`status`,`seq`);
CREATE INDEX `state_projections_capsule` ON `state_projections` (`capsule_id`,`generation`);
CREATE INDEX `capsules_hold_until` ON `capsules` (`hold_until`) WHERE hold_until IS NOT NULL;
CREATE INDEX `drift_marks_open` ON `drift_marks` (`workspace_id`,`checked_at`,`capsule_id`) WHERE status <> 'none';
CREATE INDEX `drift_schedules_due` ON `drift_schedules` (`due_at`);
CREATE INDEX `runs_capsule_newest` ON `runs` (`capsule_id`,`seq`) WHERE (type <> 'drift_check' OR created_by <> 'system');
CREATE UNIQUE INDEX `webhook_deliveries_id_unique` ON `webhook_deliveries` (`id`);
CREATE INDEX `webhook_deliveries_log` ON `webhook_deliveries` (`webhook_id`,`seq`);
CREATE INDEX `webhook_deliveries_status` ON `webhook_deliveries` (`webhook_id`,`status`,`seq`);
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`webhook_id`,`due_at`) WHERE status = 'pending';
CREATE INDEX `webhook_deliveries_pending` ON `webhook_deliveries` (`workspace_id`,`seq`) WHERE status = 'pending';
CREATE INDEX `webhooks_workspace` ON `webhooks` (`workspace_id`,`created_at`,`id`);
CREATE INDEX `webhooks_due` ON `webhooks` (`due_at`) WHERE due_at IS NOT NULL;
CREATE INDEX `runs_commit` ON `runs` (`workspace_id`,facts ->> '$.resolvedCommit',`seq`);
CREATE INDEX `waiting_mails_due` ON `waiting_mails` (`due_at`);
CREATE INDEX `waiting_mails_account` ON `waiting_mails` (`account_id`);
CREATE INDEX `waiting_mails_email` ON `waiting_mails` (`email`);
CREATE INDEX `capsule_favorites_workspace` ON `capsule_favorites` (`account_id`,`workspace_id`,`created_at`);
CREATE INDEX `runs_changes` ON `runs` (`workspace_id`,`row_seq`,`status`,`type`,`cause`,`created_by`,`capsule_name`,`capsule_id`,`id`);
CREATE INDEX `runs_capsule_changes` ON `runs` (`capsule_id`,`change_seq`);
CREATE INDEX `hostname_proofs_hostname` ON `hostname_proofs` (`hostname`);
CREATE UNIQUE INDEX `interface_bindings_spec` ON `interface_bindings` (`interface_id`,`spec_digest`) WHERE phase <> 'Revoked';
CREATE INDEX `interface_bindings_interface` ON `interface_bindings` (`interface_id`,`created_at`,`id`);
CREATE INDEX `interface_bindings_subject` ON `interface_bindings` (`subject_kind`,`subject_id`,`workspace_id`) WHERE phase <> 'Revoked';
CREATE INDEX `interface_sources_capsule` ON `interface_sources` (`capsule_id`);
CREATE UNIQUE INDEX `interfaces_name` ON `interfaces` (`workspace_id`,`name`) WHERE phase <> 'Retired';
CREATE INDEX `interfaces_workspace` ON `interfaces` (`workspace_id`,`created_at`,`id`);
CREATE INDEX `interfaces_owner` ON `interfaces` (`owner_kind`,`owner_id`,`created_at`);
CREATE INDEX `interfaces_type` ON `interfaces` (`workspace_id`,`type`,`version`,`phase`);
CREATE INDEX `interfaces_claim` ON `interfaces` (`claim_uri`) WHERE claim_uri IS NOT NULL;
CREATE UNIQUE INDEX `materialization_intents_id_unique` ON `materialization_intents` (`id`);
CREATE INDEX `materialization_intents_due` ON `materialization_intents` (`due_at`) WHERE due_at IS NOT NULL;
CREATE INDEX `materialization_intents_capsule` ON `materialization_intents` (`capsule_id`,`status`);
CREATE INDEX `materialization_intents_failed` ON `materialization_intents` (`workspace_id`,`seq`) WHERE status = 'failed';
CREATE INDEX `usage_events_run` ON `usage_events` (`run_id`);
CREATE INDEX `oidc_consent_requests_expiry` ON `oidc_consent_requests` (`expires_at`);
CREATE UNIQUE INDEX `oidc_consents_of` ON `oidc_consents` (`account_id`,`client_id`,`workspace_id`);
CREATE INDEX `oidc_grants_account` ON `oidc_grants` (`account_id`,`client_id`);
CREATE INDEX `oidc_grants_expiry` ON `oidc_grants` (`expires_at`);
CREATE INDEX `oidc_keys_created` ON `oidc_keys` (`created_at`);
CREATE INDEX `oidc_records_grant` ON `oidc_records` (`grant_id`);
CREATE INDEX `oidc_records_expiry` ON `oidc_records` (`expires_at`);
CREATE UNIQUE INDEX `oidc_capsule_clients_client` ON `oidc_capsule_clients` (`client_id`);
CREATE INDEX `lifecycle_actions_capsule` ON `lifecycle_actions` (`capsule_id`,`action_id`);
CREATE INDEX `credential_issuances_run` ON `credential_issuances` (`run_id`);
CREATE INDEX `minted_secrets_newest` ON `minted_secrets` (`capsule_id`,`created_at`,`id`);
CREATE UNIQUE INDEX `imports_id_unique` ON `imports` (`id`);
CREATE INDEX `imports_workspace` ON `imports` (`workspace_id`,`seq`);
CREATE INDEX `imports_digest` ON `imports` (`workspace_id`,`digest`);
CREATE INDEX `imports_run` ON `imports` (`run_id`);
CREATE INDEX `imports_untouched` ON `imports` (`updated_at`) WHERE capsule_id IS NULL;
CREATE UNIQUE INDEX `backups_id_unique` ON `backups` (`id`);
CREATE UNIQUE INDEX `backups_created_by_run_id_unique` ON `backups` (`created_by_run_id`);
CREATE INDEX `backups_workspace` ON `backups` (`workspace_id`,`seq`);
CREATE UNIQUE INDEX `restore_states_run` ON `restore_states` (`run_id`,`capsule_id`);
CREATE INDEX `restore_states_capsule` ON `restore_states` (`capsule_id`);
CREATE UNIQUE INDEX `state_versions_run` ON `state_versions` (`created_by_run_id`,`capsule_id`);
CREATE INDEX `runs_restores` ON `runs` (`status`,`seq`) WHERE type = 'restore';
CREATE INDEX `backup_copies_workspace` ON `backup_copies` (`workspace_id`,`status`);
CREATE UNIQUE INDEX `copies_id_unique` ON `copies` (`id`);
CREATE INDEX `copies_workspace` ON `copies` (`workspace_id`,`seq`);
CREATE INDEX `copies_upstream` ON `copies` (`workspace_id`,`upstream_url`);
CREATE UNIQUE INDEX `copies_source` ON `copies` (`source_id`);
CREATE UNIQUE INDEX `copy_revisions_id_unique` ON `copy_revisions` (`id`);
CREATE INDEX `copy_revisions_copy` ON `copy_revisions` (`copy_id`,`seq`);
CREATE INDEX `copy_revisions_work` ON `copy_revisions` (`seq`) WHERE status IN ('preparing', 'making');
CREATE UNIQUE INDEX `copy_revisions_open` ON `copy_revisions` (`copy_id`) WHERE status IN ('preparing', 'waiting_approval', 'making');
CREATE INDEX `interface_resource_sources_resource` ON `interface_resource_sources` (`resource_id`);
CREATE UNIQUE INDEX `form_operations_started` ON `form_operations` (`workspace_id`,`kind`,`name`) WHERE completed_at IS NULL;
CREATE INDEX `form_operations_completed` ON `form_operations` (`completed_at`);
CREATE UNIQUE INDEX `form_resources_id_unique` ON `form_resources` (`id`);
CREATE UNIQUE INDEX `form_resources_native_id_unique` ON `form_resources` (`native_id`);
CREATE UNIQUE INDEX `form_resources_name` ON `form_resources` (`workspace_id`,`kind`,`name`);
CREATE INDEX `form_resources_workspace` ON `form_resources` (`workspace_id`,`seq`);
CREATE INDEX `audit_resource` ON `audit_events` (`target_id`,`seq`) WHERE target_type = 'resource';
CREATE UNIQUE INDEX `runner_enrolments_token_hash_unique` ON `runner_enrolments` (`token_hash`);
CREATE INDEX `runner_enrolments_pool` ON `runner_enrolments` (`pool_id`,`created_at`,`id`);
CREATE UNIQUE INDEX `runner_machines_public_key_unique` ON `runner_machines` (`public_key`);
CREATE INDEX `runner_machines_pool` ON `runner_machines` (`pool_id`,`enrolled_at`,`id`);
CREATE INDEX `runner_machines_enrolled` ON `runner_machines` (`enrolled_at`,`id`);
CREATE UNIQUE INDEX `runner_pools_name` ON `runner_pools` (`name`) WHERE removed_at IS NULL;
CREATE INDEX `runner_pools_created` ON `runner_pools` (`created_at`,`id`);
CREATE UNIQUE INDEX `workspace_runner_pools_default` ON `workspace_runner_pools` (`workspace_id`) WHERE is_default = 1;
CREATE INDEX `workspace_runner_pools_pool` ON `workspace_runner_pools` (`pool_id`);
CREATE INDEX `runs_queue` ON `runs` (`runner_pool`,`seq`) WHERE status = 'queued';
CREATE INDEX `remote_jobs_machine` ON `remote_jobs` (`machine_id`,`id`);
CREATE INDEX `remote_jobs_run` ON `remote_jobs` (`run_id`);
COMMIT;

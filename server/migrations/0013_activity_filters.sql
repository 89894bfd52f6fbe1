CREATE INDEX `audit_actor` ON `audit_events` (`workspace_id`,`actor_id`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_kind` ON `audit_events` (`workspace_id`,`target_type`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_actor_kind` ON `audit_events` (`workspace_id`,`actor_id`,`target_type`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_capsule` ON `audit_events` (`workspace_id`,(CASE WHEN "target_type" = 'capsule' THEN "target_id" WHEN json_valid("metadata") THEN "metadata" ->> '$.capsuleId' END),`seq`);
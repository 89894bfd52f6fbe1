CREATE TABLE `snapshot_manifests` (
	`snapshot_id` text PRIMARY KEY NOT NULL,
	`document` text,
	`module_paths` text NOT NULL,
	`problems` text NOT NULL,
	FOREIGN KEY (`snapshot_id`) REFERENCES `source_snapshots`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;

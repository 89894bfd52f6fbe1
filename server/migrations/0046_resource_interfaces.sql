CREATE TABLE `interface_resource_sources` (
	`interface_id` text NOT NULL,
	`resource_id` text NOT NULL,
	PRIMARY KEY(`interface_id`, `resource_id`),
	FOREIGN KEY (`interface_id`) REFERENCES `interfaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `interface_resource_sources_resource` ON `interface_resource_sources` (`resource_id`);--> statement-breakpoint
ALTER TABLE `interface_bindings` ADD `package_key` text;

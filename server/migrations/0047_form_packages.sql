CREATE TABLE `form_packages` (
	`kind` text NOT NULL,
	`api_version` text NOT NULL,
	`definition_version` text NOT NULL,
	`schema_digest` text NOT NULL,
	`package_digest` text NOT NULL,
	`installed_at` integer NOT NULL,
	PRIMARY KEY(`kind`, `api_version`, `definition_version`, `schema_digest`, `package_digest`)
) STRICT;

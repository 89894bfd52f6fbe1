import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Every exact reference that was ever installed, so that a form stays known when its file is gone. */
export const formPackages = sqliteTable(
  'form_packages',
  {
    kind: text().notNull(),
    apiVersion: text('api_version').notNull(),
    definitionVersion: text('definition_version').notNull(),
    schemaDigest: text('schema_digest').notNull(),
    packageDigest: text('package_digest').notNull(),
    installedAt: integer('installed_at').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.kind, table.apiVersion, table.definitionVersion, table.schemaDigest, table.packageDigest],
    }),
  ],
);

import { defineConfig } from 'drizzle-kit';

/** Every schema must match one of these: the next migration drops a table that no file declares. */
export const schemaFiles = ['./server/src/kernel/schema.ts', './server/src/domains/*/schema.ts'];

export default defineConfig({ dialect: 'sqlite', schema: schemaFiles, out: './server/migrations' });

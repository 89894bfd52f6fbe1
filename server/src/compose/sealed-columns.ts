import type { SealedColumn } from '../domains/keys/index.ts';

/**
 * Every column of sealed values. A key is removed when all of these have moved off it, so a column that is missing here
 * loses its values: a test holds this list against the tables.
 */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'sources', column: 'hook_secret' },
  { table: 'connection_materials', column: 'sealed' },
  { table: 'state_versions', column: 'state' },
  { table: 'dependency_snapshots', column: 'sealed' },
  { table: 'install_configs', column: 'secrets' },
  { table: 'install_plans', column: 'variables' },
  { table: 'run_credentials', column: 'sealed' },
];

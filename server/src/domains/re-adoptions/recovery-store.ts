import type { Db } from '#server/kernel/db';

/** A whole row as it is stored: texts, numbers, bytes and nulls. */
export type StoredRow = Readonly<Record<string, unknown>>;
export type RecoveryStore = ReturnType<typeof createRecoveryStore>;

/** The rows by which the safety of a Capsule is judged. */
export const createRecoveryStore = ({ sqlite }: Pick<Db, 'sqlite'>) => {
  const byId = (table: 'runs' | 'state_versions' | 'outputs') => sqlite.prepare(`SELECT * FROM ${table} WHERE id = ?`);
  const statements = {
    run: byId('runs'),
    stateVersion: byId('state_versions'),
    output: byId('outputs'),
    decisive: sqlite.prepare(`SELECT id FROM runs WHERE capsule_id = ? AND type IN ('apply', 'destroy_apply', 'restore')
      AND (input ->> '$.dispatched' = 1 OR input ->> '$.committed' IS NOT NULL
        OR EXISTS (SELECT 1 FROM lifecycle_actions WHERE run_id = runs.id AND invoked = 1)
        OR EXISTS (SELECT 1 FROM state_versions WHERE created_by_run_id = runs.id))
      ORDER BY seq DESC LIMIT 1`),
  };
  const rowOf = (statement: { get(id: string): unknown }) => (id: string) => statement.get(id) as StoredRow | undefined;
  return {
    findRun: rowOf(statements.run),
    findStateVersion: rowOf(statements.stateVersion),
    findOutput: rowOf(statements.output),
    /** Returns the newest Run that may have changed something outside: a provider or an action was started. */
    findDecisiveRun: (capsuleId: string): string | undefined =>
      (statements.decisive.get(capsuleId) as { id: string } | undefined)?.id,
  };
};

import type { Vault } from '#server/drivers/vault/index';
import type { InstallDiagnosticCode } from '#shared/install-plans/contract';
import { parseExactly } from '#shared/kernel/exact-number';
import type { JsonObject } from '#shared/kernel/json';
import type { Step } from './reconcile.ts';
import type { InstallFacts } from './schema.ts';
import type { InstallRow } from './store.ts';

/** Input of the steps: the row, the records created so far, and the private variables while they are stored. */
export type InstallState = InstallFacts & { row: InstallRow; variables: JsonObject };
export type InstallStep = Step<InstallState, InstallFacts, InstallDiagnosticCode>;

/** Owner of the sealed variables of an install plan. */
export const variablesContext = ({ id, workspaceId }: Pick<InstallRow, 'id' | 'workspaceId'>) => ({
  table: 'install_plans',
  row: id,
  column: 'variables',
  workspaceId,
});

export function stateOf(vault: Pick<Vault, 'open'>, row: InstallRow): InstallState {
  const opened = row.variables === null ? '{}' : vault.open(variablesContext(row), row.variables).toString();
  return { ...row.facts, row, variables: parseExactly(opened) as JsonObject };
}

import { createConfigDigests } from '#server/domains/install-configs/index';
import { readState } from '#server/drivers/tofu/index';
import { digestOf, jsonDigest } from '#server/kernel/digest';
import { unpackText } from '#server/kernel/packed';
import type { Examination } from './examination.ts';
import { atMost, type Check, type Finding, problem } from './finding.ts';
import type { StoredState } from './store.ts';

const remedy = 'Copy the folder; then restore an earlier copy of the ledger, or import the resources again.';

/** Checks that every StateVersion opens and is the state that was committed. */
export const statesCheck: Check = {
  name: 'states',
  needs: ['tables', 'key'],
  examine(examination) {
    const findings: Finding[] = [];
    for (const id of examination.store.listStateIds()) {
      const row = examination.store.findState(id);
      const message = row && findFault(row, examination);
      if (message !== undefined) findings.push(problem({ subject: id, message, remedy }));
    }
    return atMost(findings, 'StateVersions that are damaged');
  },
};

function findFault(row: StoredState, { store, vault }: Examination): string | undefined {
  const context = { table: 'state_versions', row: row.id, column: 'state', workspaceId: row.workspaceId };
  let text: string;
  try {
    text = unpackText(vault.open(context, row.state));
  } catch {
    return 'This state does not open: it was altered or moved, or sealed with another key.';
  }
  if (digestOf(text) !== row.stateDigest) return 'This state is not the one that was committed.';
  if (!isNamedRight(text, row))
    return 'The ledger records another lineage, serial or resource count than this state has.';
  const output = store.findOutput(row.id);
  if (output && jsonDigest(output.workspaceOutputs) === output.outputDigest) return undefined;
  return 'The Outputs of this state differ from those that were committed with it.';
}

function isNamedRight(text: string, row: StoredState): boolean {
  try {
    const { lineage, serial, resourceCount } = readState(text);
    return lineage === row.lineage && serial === row.serial && resourceCount === row.resourceCount;
  } catch {
    return false;
  }
}

/** Checks that every InstallConfig is unaltered. */
export const configsCheck: Check = {
  name: 'configs',
  needs: ['tables', 'key'],
  examine({ store, vault }) {
    const { isIntact } = createConfigDigests(vault);
    const altered = store.listConfigs().filter((row) => !isIntact(row));
    const message = 'This InstallConfig was altered after it was sealed. No plan starts from it.';
    return atMost(
      altered.map(({ id }) =>
        problem({
          subject: id,
          message,
          remedy: 'Restore the ledger from an earlier copy, or replace the configuration.',
        }),
      ),
      'InstallConfigs that were altered',
    );
  },
};

/** Checks that the current state of every Capsule exists. */
export const pointersCheck: Check = {
  name: 'capsules',
  needs: ['tables'],
  examine: ({ store }) =>
    store.listBrokenCapsules().map((subject) =>
      problem({
        subject,
        message: 'The current state of this Capsule is missing, or has another generation.',
        remedy,
      }),
    ),
};

/** Checks that the stored resources of every StateVersion are complete; the key check opens them. */
export const projectionsCheck: Check = {
  name: 'resources',
  needs: ['tables'],
  examine: ({ store }) =>
    store
      .listTornProjections()
      .map((subject) =>
        problem({ subject, message: 'Resources of this state are missing, so it is not shown completely.', remedy }),
      ),
};

import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import {
  encryptionNames,
  hasMoreValuesThan,
  openSealed,
  projectPlan,
  readState,
  sealState,
  stateMaxValues,
} from '#server/drivers/tofu/index';
import { findCallFilter } from '../os/system-calls.ts';
import type { JournalWriter } from '../runner/contract/journal.ts';
import { createRedactor, type Redactor } from '../runner/contract/redaction/redactor.ts';
import { groupFoldersOf } from './command/bounds.ts';
import { redactDocument } from './reporting/redact-document.ts';
import { createReporter } from './reporting/reporter.ts';

const rounds = 60;
const stateRounds = 5;
const redactorRounds = 2;
const resource = {
  addr: 'terraform_data.a[0]',
  module: '',
  resource: 'terraform_data.a[0]',
  resource_type: 'terraform_data',
  resource_key: 0,
};
const line = `${JSON.stringify({
  '@level': 'info',
  '@message': 'terraform_data.a[0]: Creating...',
  '@module': 'tofu.ui',
  '@timestamp': '2026-01-01T00:00:00.000000Z',
  hook: { resource, action: 'create' },
  type: 'apply_start',
})}\n`;
const state = JSON.stringify({
  version: 4,
  terraform_version: '1.0.0',
  serial: 1,
  lineage: 'none',
  outputs: { a: { value: 'x', type: 'string' } },
  resources: Array.from({ length: 20 }, (_, index) => ({
    mode: 'managed',
    type: 'terraform_data',
    name: `a${index}`,
    provider: 'provider["p"]',
    instances: [{ schema_version: 0, attributes: { id: `${index}`, input: 'x' }, sensitive_attributes: [] }],
  })),
});
const change = {
  actions: ['create'],
  before: null,
  after: { input: 'x' },
  after_unknown: {},
  before_sensitive: false,
  after_sensitive: {},
};
const plan = JSON.stringify({
  format_version: '1.2',
  terraform_version: '1.0.0',
  resource_changes: [
    { address: 'terraform_data.a[0]', mode: 'managed', type: 'terraform_data', name: 'a', provider_name: 'p', change },
  ],
});

/** Returns as many secrets as every Run has: the keys of plan and state, in base64 and hexadecimal. */
const inventedKeys = (): string[] =>
  [randomBytes(32), randomBytes(32)].flatMap((key) => [key.toString('base64'), key.toString('hex')]);

/** Creates a journal that formats records as the real one does and discards them. */
export const createDiscardingJournal = (): JournalWriter => ({
  write: (record) => void JSON.stringify(record),
  sync() {},
  close() {},
});

/**
 * Runs the work of a Run on a few sample lines, so that a waiting supervisor has compiled the code for its spec, and has
 * found the folder for control groups, which takes the kernel milliseconds. `isWanted` is called between the steps,
 * because a spec does not wait for a warm-up.
 */
export async function warmUp(isWanted: () => boolean): Promise<void> {
  for (const step of warmUpSteps()) {
    await turn();
    if (!isWanted()) return;
    step();
  }
}

/** Returns the steps in the order in which a Run executes their code. */
function warmUpSteps(): (() => unknown)[] {
  const redactor = createRedactor(['an invented text']);
  const key = Buffer.alloc(32).toString('base64');
  const names = encryptionNames(key);
  return [
    () => groupFoldersOf(''),
    ...repeat(redactorRounds, () => createRedactor(inventedKeys()).prepare()),
    () => findCallFilter(),
    () => parseSamples(redactor),
    ...repeat(stateRounds, () => readState(openSealed(sealState(state, key, names), key).toString())),
    () => hasMoreValuesThan(stateMaxValues, Buffer.from(state)),
    () => redactDocument(projectPlan(plan, { secrets: [] }).document, redactor),
  ];
}

const repeat = (count: number, step: () => unknown): (() => unknown)[] => Array.from({ length: count }, () => step);

function parseSamples(redactor: Redactor): void {
  const report = createReporter({
    journal: createDiscardingJournal(),
    redactor,
    logBytes: Number.MAX_SAFE_INTEGER,
  });
  const sink = report.listen({ phase: 'plan' });
  const bytes = Buffer.from(line);
  for (let round = 0; round < rounds; round += 1) sink.stdout(bytes);
  sink.end();
}

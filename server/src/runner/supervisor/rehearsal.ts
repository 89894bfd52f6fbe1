import { openSealed, projectPlan, readState, sealState } from '#server/tofu/index';
import { createRedactor } from '../redaction/redactor.ts';
import { redactDocument } from './redact-document.ts';
import { createReporter } from './reporter.ts';

const rounds = 60;
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
  outputs: {},
  resources: [],
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

/**
 * Runs through the work of a Run on a few invented lines, so that a waiting supervisor has compiled what it will need
 * when its Job comes. Touches no file and starts nothing.
 */
export function rehearse(): void {
  const redactor = createRedactor(['an invented text']);
  const journal = { write: (record: object): void => void JSON.stringify(record), sync() {}, close() {} };
  const report = createReporter({ journal, redactor, logBytes: Number.MAX_SAFE_INTEGER });
  const sink = report.listen({ phase: 'plan' });
  const bytes = Buffer.from(line);
  for (let round = 0; round < rounds; round += 1) sink.stdout(bytes);
  sink.end();
  const key = Buffer.alloc(32).toString('base64');
  readState(openSealed(sealState(state, key, { keyProvider: 'k', method: 'm' }), key).toString());
  redactDocument(projectPlan(plan, { secrets: [] }).document, redactor);
}

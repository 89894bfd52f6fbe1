import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createStreamParser, type StreamEvent } from '#server/drivers/tofu/index';
import { repositoryRoot } from '#server/kernel/entry';
import { createLockWarningFilter } from './lock-warning.ts';

const recorded = readFileSync(path.join(repositoryRoot, 'server/src/drivers/tofu/fixtures/init.jsonl'));

/** Returns the texts of the recorded init that are kept. */
function shown(options: Parameters<typeof createLockWarningFilter>[0]): string[] {
  const isMoot = createLockWarningFilter(options);
  const events: StreamEvent[] = [];
  const parser = createStreamParser({ onEvent: (event) => events.push(event) });
  parser.write(recorded);
  parser.end();
  return events
    .filter((event) => !isMoot(event))
    .flatMap((event) => (event.kind === 'log' ? event.text : event.kind === 'diagnostic' ? event.message : []));
}
const warning = 'Incomplete lock file information for providers';
const none = { storeProviders: [], mirrorProviders: [] };

it('drops the warning for a lock file whose providers came from the mirror or the store', () => {
  const local = ['registry.opentofu.org/hashicorp/local'];
  for (const options of [
    { network: false, sources: none },
    { network: true, sources: { storeProviders: local, mirrorProviders: [] } },
    { network: true, sources: { storeProviders: [], mirrorProviders: local } },
  ]) {
    const texts = shown(options);
    expect(texts.filter((text) => text.includes(warning))).toEqual([]);
    expect(texts.at(-1)).toBe('OpenTofu has been successfully initialized!');
  }
});

it('warns when a provider came from its registry', () => {
  const other = { storeProviders: ['registry.opentofu.org/hashicorp/time'], mirrorProviders: [] };
  expect(shown({ network: true, sources: other })).toEqual(expect.arrayContaining([warning, `Warning: ${warning}`]));
});

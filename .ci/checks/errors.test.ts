import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { argumentReasons, errorStatus, installLinkReasons, preconditionReasons, runErrorCodes } from '#shared/errors';
import { formErrorStatus } from '#shared/form-errors';

/*
 * The tables of docs/errors.md list every code that can be raised, and no other. Codes that are specified for features of
 * later versions are listed here until something raises them.
 */

const plannedCodes: readonly string[] = ['compatibility_report_output_metadata_missing'];

/** Files that declare or read codes and raise none. */
const declaring = /(?:\.test|\/api|-api|\/contract|\/errors)\.ts$|^server\/src\/(?:cli|domains\/discovery)\//;
const raisingSources = globSync('{shared,server}/src/**/*.ts', { cwd: repositoryRoot })
  .filter((file) => !declaring.test(file))
  .map((file) => readFileSync(path.join(repositoryRoot, file), 'utf8'));
const raisedCodes = new Set(raisingSources.flatMap((text) => [...text.matchAll(/'(\w+)'/g)].map(([, code]) => code)));

const read = (page: string): string => readFileSync(path.join(repositoryRoot, 'docs', page), 'utf8');
/** Returns the cells of each row below a heading; the first one without its code marks. */
const tableBelow = (heading: string, page = 'errors.md'): string[][] => {
  const [, below = ''] = read(page).split(`\n${heading}\n`);
  return [...(below.split(/^#/m)[0] ?? '').matchAll(/^\| (`\w+`.*) \|$/gm)].map(([, row = '']) =>
    row.split(' | ').map((cell, at) => (at === 0 ? cell.replaceAll('`', '').trim() : cell.trim())),
  );
};

const reasonTables = [
  ['### `details.reason` of `invalid_argument`', argumentReasons],
  ['### `details.reason` of `failed_precondition`', preconditionReasons],
  ['## `errorCode` of a Run', runErrorCodes],
] as const;

describe('docs/errors.md', () => {
  it('lists every error code once, with its status', () => {
    const listed = tableBelow('## Codes of the API').map(([code, status]) => `${code} ${status}`);
    const declared = Object.entries(errorStatus).map(([code, status]) => `${code} ${status}`);
    expect(listed.toSorted()).toEqual(declared.toSorted());
  });

  it.each(reasonTables)('lists every code once below %s, except planned ones', (heading, codes) => {
    const listed = tableBelow(heading).map(([code]) => code);
    expect(listed.toSorted()).toEqual(codes.filter((code) => !plannedCodes.includes(code)).toSorted());
  });

  it.each(['## Codes of the API', ...reasonTables.map(([heading]) => heading)])(
    'says below %s when each code occurs and what to do',
    (heading) => {
      const columns = heading === '## Codes of the API' ? 4 : 3;
      expect(tableBelow(heading).filter((row) => row.length !== columns || row.includes(''))).toEqual([]);
    },
  );
});

it('docs/form-host.md lists every code of the form host protocol with its status, and what to do', () => {
  const rows = tableBelow('### Errors', 'form-host.md');
  const declared = Object.entries(formErrorStatus).map(([code, status]) => `${code} ${status}`);
  expect(rows.map(([code, status]) => `${code} ${status}`).toSorted()).toEqual(declared.toSorted());
  expect(rows.filter((row) => row.length !== 4 || row.includes(''))).toEqual([]);
});

it('docs/install-links.md lists every reason of an invalid link', () => {
  const listed = [...read('install-links.md').matchAll(/^\| `(\w+)` /gm)].map(([, reason]) => reason);
  expect(installLinkReasons.filter((reason) => !listed.includes(reason))).toEqual([]);
});

it('declares no code that nothing raises, except planned ones', () => {
  const declared = [
    ...Object.keys(errorStatus),
    ...[argumentReasons, installLinkReasons, preconditionReasons, runErrorCodes].flat(),
  ];
  const silent = declared.filter((code) => !raisedCodes.has(code));
  expect(silent.toSorted()).toEqual(plannedCodes);
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Layout } from '../../runner/contract/layout.ts';
import { isBackendRecorded, writeBackendRecord } from './backend-record.ts';

let data: string;
let layout: Layout;
beforeEach(() => {
  data = mkdtempSync(path.join(tmpdir(), 'backend-record-'));
  layout = { host: { data }, seen: { state: '/svc/state' } } as Layout;
});
afterEach(() => rmSync(data, { recursive: true }));

const file = () => path.join(data, 'terraform.tfstate');

it('writes what OpenTofu 1.12 and Terraform 1.11 write for the same backend', () => {
  writeBackendRecord(layout);
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({
    version: 3,
    backend: {
      type: 'local',
      config: { path: '/svc/state/terraform.tfstate', workspace_dir: null },
      hash: 2_870_927_540,
    },
  });
  expect(isBackendRecorded(layout)).toBe(true);
});

it.each([
  ['another path', { backend: { type: 'local', config: { path: '/elsewhere' } } }],
  ['another type', { backend: { type: 's3', config: { path: '/svc/state/terraform.tfstate' } } }],
  ['no backend', {}],
])('does not accept a record of %s', (_, record) => {
  writeFileSync(file(), JSON.stringify(record));
  expect(isBackendRecorded(layout)).toBe(false);
});

it('does not accept a missing record, or a folder in its place', () => {
  expect(isBackendRecorded(layout)).toBe(false);
  mkdirSync(file());
  expect(isBackendRecorded(layout)).toBe(false);
});

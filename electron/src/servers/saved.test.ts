import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openServerList, readName } from './saved.ts';

let folder = '';
const file = () => path.join(folder, 'servers.json');
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'gc-servers-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('keeps what was added, renamed and removed, readable by this account only', () => {
  const list = openServerList(file());
  const team = list.add({ name: 'Team', origin: 'https://team.example' });
  const lab = list.add({ name: 'Lab', origin: 'https://lab.example' });
  list.change(team.id, { name: 'Our team' });
  list.change(team.id, { issuer: 'Example CA' });
  list.remove(lab.id);
  const expected = [{ id: team.id, name: 'Our team', origin: 'https://team.example', issuer: 'Example CA' }];
  expect(list.all()).toEqual(expected);
  expect(openServerList(file()).all()).toEqual(expected);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test('a server that is added again has another id, and so another storage', () => {
  const list = openServerList(file());
  const first = list.add({ name: 'Team', origin: 'https://team.example' });
  list.remove(first.id);
  expect(list.add({ name: 'Team', origin: 'https://team.example' }).id).not.toBe(first.id);
  list.change(first.id, { name: 'Removed' });
  expect(list.all().map(({ name }) => name)).toEqual(['Team']);
});

test('a change that cannot be written is not made', () => {
  const list = openServerList(path.join(folder, 'missing', 'servers.json'));
  expect(() => list.add({ name: 'Team', origin: 'https://team.example' })).toThrow('ENOENT');
  expect(list.all()).toEqual([]);
});

test.each(['', '{"servers":', '[]', '{"servers":{}}', 'null'])('a damaged file is an empty list: %s', (text) => {
  writeFileSync(file(), text);
  expect(openServerList(file()).all()).toEqual([]);
});

test('damaged entries are left out, the others stay', () => {
  const list = openServerList(file());
  const { id } = list.add({ name: 'Team', origin: 'https://team.example' });
  const [good] = JSON.parse(readFileSync(file(), 'utf8')).servers;
  const other = '00000000-0000-4000-8000-000000000000';
  const bad = [
    null,
    'x',
    { ...good, name: 'Copy' },
    { ...good, id: '../../default' },
    { ...good, id: other, name: 'Team' },
    { ...good, id: other, name: 'a\u202eb' },
    { ...good, id: other, name: 'File', origin: 'file:///etc' },
    { ...good, id: other, name: 'Plain', origin: 'http://team.example' },
    { ...good, id: other, name: 'Path', origin: 'https://team.example/path' },
    { ...good, id: other, name: 'User', origin: 'https://user@team.example' },
  ];
  writeFileSync(file(), JSON.stringify({ servers: [good, ...bad] }));
  expect(openServerList(file()).all()).toEqual([{ id, name: 'Team', origin: 'https://team.example' }]);
});

test.each([
  ['  Team   A ', { name: 'Team A' }],
  ['チーム', { name: 'チーム' }],
  ['', { refusal: 'name-invalid' }],
  ['x'.repeat(61), { refusal: 'name-invalid' }],
  ['a\nb', { refusal: 'name-invalid' }],
  ['a\u202eb', { refusal: 'name-invalid' }],
  ['a\u2028b', { refusal: 'name-invalid' }],
  ['LAB', { refusal: 'name-known' }],
])('the name %j is read as %j', (text, expected) => {
  expect(readName(text, [{ id: 'x', name: 'Lab', origin: 'https://lab.example' }])).toEqual(expected);
});

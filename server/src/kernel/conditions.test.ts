import Database from 'better-sqlite3';
import { and, asc, type SQL } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAfter, isBefore, mentions } from './conditions.ts';
import { createOrm } from './orm.ts';

const notes = sqliteTable('notes', { id: text().primaryKey(), at: integer().notNull(), name: text() });
let sqlite: Database.Database;
const names = ['100%', '1000', 'a_b', 'aXb', 'back\\slash', 'Shop', null];
beforeAll(() => {
  sqlite = new Database(':memory:');
  sqlite.exec('CREATE TABLE notes (id text PRIMARY KEY, at integer NOT NULL, name text) STRICT');
  const insert = sqlite.prepare('INSERT INTO notes VALUES (?, ?, ?)');
  for (const [n, name] of names.entries()) insert.run(`note_${n}`, Math.floor(n / 2), name);
});
afterAll(() => void sqlite.close());

const findNotes = (...where: SQL[]) =>
  createOrm(sqlite)
    .select()
    .from(notes)
    .where(and(...where))
    .orderBy(asc(notes.id))
    .all();
const named = (q: string) => findNotes(mentions(q, { names: [notes.name], ids: [notes.id] })).map(({ name }) => name);

test('searches for literal text: no character is a wildcard', () => {
  expect(named('0%')).toEqual(['100%']);
  expect(named('a_b')).toEqual(['a_b']);
  expect(named('k\\s')).toEqual(['back\\slash']);
  expect(named('%')).toEqual(['100%']);
});

test('the case of letters does not matter', () => {
  expect(named('sHOP')).toEqual(['Shop']);
  expect(named('AXB')).toEqual(['aXb']);
});

test('ids are searched from six characters on', () => {
  expect(named('note')).toEqual([]);
  expect(named('NOTE_5')).toEqual(['Shop']);
});

test('a position is a row value, so that equal times are ordered by id', () => {
  const ids = (condition: SQL) => findNotes(condition).map(({ id }) => id);
  expect(ids(isAfter([notes.at, notes.id], [2, 'note_4']))).toEqual(['note_5', 'note_6']);
  expect(ids(isBefore([notes.at, notes.id], [1, 'note_3']))).toEqual(['note_0', 'note_1', 'note_2']);
});

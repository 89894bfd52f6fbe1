import Database from 'better-sqlite3';
import { and, eq, gt, sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createOrm } from './orm.ts';

const tasks = sqliteTable(
  'tasks',
  { id: text().primaryKey(), state: text().notNull(), at: integer().notNull() },
  (table) => [index('tasks_open').on(table.at).where(sql`state = 'open'`)],
);

let sqlite: Database.Database;
let compiled: string[];
beforeEach(() => {
  sqlite = new Database(':memory:');
  sqlite.exec('CREATE TABLE tasks (id text PRIMARY KEY, state text NOT NULL, at integer NOT NULL) STRICT');
  sqlite.exec("CREATE INDEX tasks_open ON tasks (at) WHERE state = 'open'");
  sqlite.exec("INSERT INTO tasks VALUES ('a', 'open', 1), ('b', 'done', 2), ('c', 'open', 3)");
  compiled = [];
  const prepare = sqlite.prepare.bind(sqlite);
  sqlite.prepare = ((text: string) => {
    compiled.push(text);
    return prepare(text);
  }) as typeof sqlite.prepare;
});
afterEach(() => void sqlite.close());

it('compiles equal texts once, and gives each execution its own values', () => {
  const orm = createOrm(sqlite);
  const idsAfter = (at: number) => orm.select({ id: tasks.id }).from(tasks).where(gt(tasks.at, at)).all();
  expect([idsAfter(0), idsAfter(2), idsAfter(3)]).toEqual([[{ id: 'a' }, { id: 'b' }, { id: 'c' }], [{ id: 'c' }], []]);
  expect(compiled).toHaveLength(1);
});

it('returns objects and rows of columns for the same text', () => {
  const orm = createOrm(sqlite);
  const query = sql`select id, at from tasks where at = ${3}`;
  expect([orm.all(query), orm.values(query), orm.get(query)]).toEqual([
    [{ id: 'c', at: 3 }],
    [['c', 3]],
    { id: 'c', at: 3 },
  ]);
});

it('keeps the types of values', () => {
  const orm = createOrm(sqlite);
  orm.insert(tasks).values({ id: '7', state: 'open', at: 7 }).run();
  orm.update(tasks).set({ state: '8' }).where(eq(tasks.id, '7')).run();
  expect(orm.select().from(tasks).where(eq(tasks.id, '7')).get()).toEqual({ id: '7', state: '8', at: 7 });
});

it('finds rows by a partial index when the value that it requires is part of the text', () => {
  const isOpen = eq(tasks.state, 'open').inlineParams();
  const query = createOrm(sqlite)
    .select()
    .from(tasks)
    .where(and(isOpen, gt(tasks.at, 1)))
    .limit(1)
    .toSQL();
  expect(query.sql).toMatch(/"state" = 'open' and "tasks"."at" > \+\?\) limit 1$/);
  const [step] = sqlite.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${query.sql}`).all(...query.params);
  expect(step?.detail).toBe('SEARCH tasks USING INDEX tasks_open (at>?)');
});

it('keeps the statements that were used last', () => {
  const orm = createOrm(sqlite);
  const read = (index: number) => orm.get(sql`select ${sql.raw(String(index))} as n`);
  for (let index = 0; index < 300; index += 1) read(index);
  read(0);
  read(300);
  compiled.length = 0;
  expect([read(0), read(1)]).toEqual([{ n: 0 }, { n: 1 }]);
  expect(compiled).toEqual(['select 1 as n']);
});

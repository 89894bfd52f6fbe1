import { expect, test } from 'vitest';
import { apiTables, formHostApis } from '#shared/api';
import { repliesOf } from './answers.ts';
import { exampleBody, exampleReply } from './openapi.ts';

const tables: typeof apiTables = [...apiTables, formHostApis];
const operations = tables.flatMap((table) => Object.entries(table));

test('every example of a request body is accepted by its route', () => {
  const wrong = operations.flatMap(([name, endpoint]) => {
    if (!endpoint.body) return [];
    const issues = endpoint.body.safeParse(exampleBody(name, endpoint)).error?.issues ?? [];
    return issues.map((issue) => `${name} /${issue.path.join('/')}: ${issue.message}`);
  });
  expect(wrong).toEqual([]);
});

test('every example of an answer matches the schema of its route', () => {
  const wrong = operations.flatMap(([name, endpoint]) =>
    Object.entries(repliesOf(endpoint)).flatMap(([status, reply]) => {
      const issues = reply.safeParse(exampleReply(name, reply)).error?.issues ?? [];
      return issues.map((issue) => `${name} ${status} /${issue.path.join('/')}: ${issue.message}`);
    }),
  );
  expect(wrong).toEqual([]);
});

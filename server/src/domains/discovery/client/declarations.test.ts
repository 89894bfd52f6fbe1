import { expect, test } from 'vitest';
import { apiTables } from '#shared/api';
import { declarationsOf } from './declarations.ts';

const text = declarationsOf(apiTables, {});
const bodyOf = (operation: string) =>
  new RegExp(`\\n  ${operation}\\(input: .*?body: (.*?) \\}, options`).exec(text)?.[1];

test('a body with several exclusive forms has a type for each', () => {
  expect(bodyOf('changeMember')).toBe('{ roles: Array<string> } | { role: string }');
  expect(bodyOf('addMember')).toMatch(
    /^\{ email: string; role\?: string \} \| \{ accountId: .*\} \| \{ subject: .*\}$/,
  );
});

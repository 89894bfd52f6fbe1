import { expect, test } from 'vitest';
import { jsonLineStart, wholeLines } from './whole-lines.ts';

const line = '{"@level":"info"}\n';

test.each<[string, string[], string, number, Buffer | undefined]>([
  ['a whole line first', [line, 'x\n'], `${line}x\n`, 0, jsonLineStart],
  ['a whole line in pieces', ['{', '"@', 'level":1}\n'], '{"@level":1}\n', 0, jsonLineStart],
  ['the rest of a line', [`secret"}\n${line}`], line, 1, jsonLineStart],
  ['the rest of a line in pieces', ['{"a":', '1}', `}\n${line}`, line], line + line, 1, jsonLineStart],
  ['only a line end', ['\n', line], line, 1, jsonLineStart],
  ['nothing', [], '', 0, jsonLineStart],
  ['text without a known beginning', ['Err', 'or\nnext\n'], 'next\n', 1, undefined],
])('%s is read from the beginning of a line', (_, chunks, expected, cuts, lineStart) => {
  let [text, cut] = ['', 0];
  const take = wholeLines(
    (chunk) => {
      text += chunk.toString();
    },
    () => {
      cut += 1;
    },
    lineStart,
  );
  for (const chunk of chunks) take(Buffer.from(chunk));
  expect([text, cut]).toEqual([expected, cuts]);
});

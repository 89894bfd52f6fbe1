import { expect, test } from 'vitest';
import { wholeLines } from './whole-lines.ts';

const line = '{"@level":"info"}\n';

test.each([
  ['a whole line first', [line, 'x\n'], `${line}x\n`, 0],
  ['a whole line in pieces', ['{', '"@', 'level":1}\n'], '{"@level":1}\n', 0],
  ['the rest of a line', [`secret"}\n${line}`], line, 1],
  ['the rest of a line in pieces', ['{"a":', '1}', `}\n${line}`, line], line + line, 1],
  ['only a line end', ['\n', line], line, 1],
  ['nothing', [], '', 0],
])('%s is read from the beginning of a line', (_, chunks, expected, cuts) => {
  let [text, cut] = ['', 0];
  const take = wholeLines(
    (chunk) => {
      text += chunk.toString();
    },
    () => {
      cut += 1;
    },
  );
  for (const chunk of chunks) take(Buffer.from(chunk));
  expect([text, cut]).toEqual([expected, cuts]);
});

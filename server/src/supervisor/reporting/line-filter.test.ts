import { expect, it } from 'vitest';
import { createStreamParser, type StreamEvent } from '#server/drivers/tofu/index';
import { createRedactor } from '../../runner/contract/redaction/redactor.ts';
import { createLogFilter } from './line-filter.ts';

const line = (addr: string, output: string): string =>
  `${JSON.stringify({
    '@level': 'info',
    '@message': `${addr}: (local-exec): ${output}`,
    hook: { resource: { addr }, provisioner: 'local-exec', output },
    type: 'provision_progress',
  })}\n`;

function filterLines(lines: readonly string[], secrets: readonly string[]): string[] {
  const texts: string[] = [];
  const logFilter = createLogFilter(createRedactor(secrets), ({ text }) => texts.push(text));
  const onEvent = (event: StreamEvent) => {
    if (event.kind === 'log') logFilter.take(event);
  };
  const parser = createStreamParser({ onEvent });
  for (const text of lines) parser.write(Buffer.from(text));
  parser.end();
  logFilter.end();
  return texts;
}

it('finds a secret in the output of each of two programs that print in turns', () => {
  const texts = filterLines(
    [line('a.x', 'token abcdef'), line('b.y', 'token uvwxyz'), line('a.x', '123456'), line('b.y', '987654')],
    ['abcdef123456', 'uvwxyz987654'],
  );
  expect(texts).toEqual([
    'a.x: (local-exec): token [redacted]',
    'a.x: (local-exec): [redacted]',
    'b.y: (local-exec): token [redacted]',
    'b.y: (local-exec): [redacted]',
  ]);
});

it('reports a line that is not program output at once', () => {
  const maliciousLine = JSON.stringify({ '@message': 'x abc', type: 'provision_progress', hook: { output: 'abcdef' } });
  expect(filterLines(['plain abcdef\n', `${maliciousLine}\n`, '123456\n'], ['abcdef123456'])).toEqual([
    'plain abcdef',
    'x abc',
    '123456',
  ]);
});

it('limits the number of programs that one stream can name', () => {
  const lines = Array.from({ length: 3_000 }, (_, index) => line(`a.x[${index}]`, 'abcdef'));
  expect(filterLines(lines, ['abcdef123456'])).toHaveLength(3_000);
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStreamedPlan, toPlannedEvent } from './plan-agreement.ts';
import { projectPlan } from './plan-projection.ts';
import { createStreamParser } from './stream.ts';

const fixture = (name: string) => readFileSync(path.join(import.meta.dirname, 'fixtures', name), 'utf8');
type Line = { type?: string; change?: object; changes?: object; outputs?: object };

/** Returns the plan of the recorded stream, with each line changed by `edit`. */
function streamedPlan(edit: (line: Line) => readonly Line[] = (line) => [line]) {
  const streamed = createStreamedPlan();
  const parser = createStreamParser({ onEvent: streamed.take });
  const lines = fixture('plan-mixed.jsonl').trim().split('\n');
  for (const line of lines.flatMap((text) => edit(JSON.parse(text) as Line)))
    parser.write(Buffer.from(`${JSON.stringify(line)}\n`));
  parser.end();
  return streamed;
}
const { changes } = projectPlan(fixture('show-mixed.json'), { secrets: [] });
const difference = (edit?: (line: Line) => readonly Line[]) => streamedPlan(edit).findDisagreement(changes, 'tofu');

describe('a plan and its stream', () => {
  it('agree as the tool wrote them', () => {
    expect(difference()).toBeUndefined();
  });

  it('differ when a change is missing, repeated, or another one', () => {
    let isFirst = true;
    const editFirst = (change: (line: Line) => readonly Line[]) => {
      isFirst = true;
      return (line: Line): readonly Line[] => {
        if (line.type !== 'planned_change' || !isFirst) return [line];
        isFirst = false;
        return change(line);
      };
    };
    expect(difference(editFirst(() => []))).toMatch(/^the change of .+ was not reported so$/);
    expect(difference(editFirst((line) => [line, line]))).toMatch(/was not reported so$/);
    expect(difference(editFirst((line) => [{ ...line, change: { ...line.change, action: 'read' } }]))).toMatch(
      /was not reported so$/,
    );
    const other = (line: Line) => ({ ...line, change: { resource: { addr: 'a.other' }, action: 'create' } });
    expect(difference(editFirst((line) => [line, other(line)]))).toBe('the reported change of a.other is not in it');
  });

  it('differ when Outputs or totals do', () => {
    const drop = (type: string) => (line: Line) => (line.type === type ? [] : [line]);
    expect(difference(drop('outputs'))).toMatch(/^the Output .+ was not reported so$/);
    expect(difference(drop('change_summary'))).toBe('the totals were not reported exactly once');
    const twice = (line: Line) => (line.type === 'change_summary' ? [line, line] : [line]);
    expect(difference(twice)).toBe('the totals were not reported exactly once');
    const more = (line: Line) =>
      line.type === 'change_summary' ? [{ ...line, changes: { ...line.changes, remove: 99 } }] : [line];
    expect(difference(more)).toBe('the totals differ');
  });
});

describe('toPlannedEvent', () => {
  it.each<[Omit<Parameters<typeof toPlannedEvent>[0], 'address'>, string, boolean]>([
    [{ actions: ['create', 'delete'] }, 'replace', false],
    [{ actions: ['forget'] }, 'remove', false],
    [{ actions: ['forget', 'create'] }, 'noop', false],
    [{ actions: ['no-op'], previousAddress: 'a.c' }, 'move', false],
    [{ actions: ['no-op'], previousAddress: 'a.c', importing: {} }, 'move', true],
    [{ actions: ['no-op'], importing: { id: 'x' } }, 'import', true],
    [{ actions: ['update'], importing: { id: 'x' } }, 'update', true],
  ])('writes %j as the stream does', (change, action, isImport) => {
    expect(toPlannedEvent({ address: 'a.b', ...change })).toMatchObject({ address: 'a.b', action, isImport });
  });
});

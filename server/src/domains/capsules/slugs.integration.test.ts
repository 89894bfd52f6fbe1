import { afterEach, beforeEach, expect, test } from 'vitest';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { addWorkspace } from '../../../test/second-workspace.ts';

let fixture: ScheduleFixture;
beforeEach(async () => {
  fixture = await openScheduleFixture(heldClock());
});
afterEach(() => fixture.close());

function make(workspaceId: string, name: string, environment = 'test') {
  const { sourceId } = fixture.makeCapsule(workspaceId);
  const at = { workspaceId, name, environment, sourceId, installConfigId: 'cfg-default-opentofu-capsule' };
  const checked = { compatibilityReportId: 'rep_none', compatibilityStatus: 'ready' as const };
  return fixture.db.write(() => fixture.domains.capsules.create({ ...at, ...checked }, fixture.owner));
}

test('Capsules of the same name in one Workspace have different slugs', () => {
  const slugs = ['one', 'two', 'three'].map((environment) => make(fixture.workspaceId, 'Wiki', environment).slug);
  expect(slugs).toEqual(['wiki', 'wiki-2', 'wiki-3']);
});

test('no two Workspaces have Capsules whose host name or scoped name would be the same text', () => {
  const [plain, dashed] = ['team', 'red-team'].map((handle) =>
    addWorkspace(fixture.db, [fixture.owner], handle, handle),
  );
  // wiki-red + team gives the same name as wiki + red-team.
  const first = make(plain ?? '', 'Wiki Red');
  const second = make(dashed ?? '', 'Wiki');
  expect([`${first.slug}-team`, `${second.slug}-red-team`]).toEqual(['wiki-red-team', 'wiki-2-red-team']);
  // red + team-wiki, of a third Workspace, gives the same name as red-team + wiki.
  const third = addWorkspace(fixture.db, [fixture.owner], 'red', 'red');
  make(dashed ?? '', 'Wiki', 'other');
  expect(make(third, 'team wiki 3').slug).toBe('team-wiki-3-2');
  expect(make(third, 'Wiki').slug).toBe('wiki');
});

test('a destroyed Capsule of another Workspace releases its name', () => {
  const [plain, dashed] = ['team', 'red-team'].map((handle) =>
    addWorkspace(fixture.db, [fixture.owner], handle, handle),
  );
  const first = make(plain ?? '', 'Wiki Red');
  fixture.db.write(() => fixture.domains.capsules.move(first.id, 'abandon'));
  expect(make(dashed ?? '', 'Wiki').slug).toBe('wiki');
});

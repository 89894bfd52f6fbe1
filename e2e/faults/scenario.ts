import type { Run } from '#shared/runs/contract';
import { settled } from '../fixtures/feed.ts';
import type { Harness, HarnessRepository } from '../fixtures/harness.ts';
import { installPlanned, planAgain, startApply, stateVersions, takeNewest } from '../fixtures/journey.ts';
import { fakeModule } from '../fixtures/modules.ts';

/** A fact that was reported to a person, and must hold from then on. */
export type Fact =
  | { what: 'session'; token: string }
  | { what: 'record'; path: string }
  /** Valid until the next one of the same Source. */
  | { what: 'name'; sourceId: string; name: string }
  | { what: 'ended'; runId: string; status: string; capsuleId?: string }
  /** The plan can be applied. */
  | { what: 'plan'; runId: string }
  | { what: 'state'; stateVersionId: string; generation: number };

/** This many small writes fill the write-ahead log of the ledger once, so that it is checkpointed. */
const renames = 160;

/** Things named like their addresses, so that world, state and reports of a Run use the same names. */
const thing = (name: string, more: string): string =>
  `resource "fake_thing" "${name}" {\n  name = "fake_thing.${name}"\n  ${more}\n}\n`;
const firstThings = ['a', 'b', 'c'].map((name) => thing(name, 'delay_ms = 60')).join('');
const laterThings = ['d', 'e'].map((name) => thing(name, 'delay_ms = 80\n  depends_on = [fake_thing.a]')).join('');
const output = 'output "made" {\n  value = fake_thing.a.name\n}\n';
export const moduleOf = (more = ''): string => fakeModule(firstThings + laterThings + output + more);

/**
 * A person's first hour, shortened: a Source, an installation, an apply, a new commit, a second apply. Each fact is
 * recorded right after the server has answered it.
 */
export async function playFirstHour(
  harness: Harness,
  repository: HarnessRepository,
  report: (fact: Fact) => void,
): Promise<{ capsuleId: string }> {
  const { http, server } = harness;
  report({ what: 'session', token: server.token });
  const planned = await installPlanned(harness, { url: repository.url, name: 'first' });
  const { capsuleId, sourceId } = planned;
  report({ what: 'record', path: `/api/v1/sources/${sourceId}` });
  report({ what: 'record', path: `/api/v1/capsules/${capsuleId}` });
  reportEnd(report, planned.plan);
  report({ what: 'plan', runId: planned.plan.id });
  await applyAndReport(harness, planned.plan, report);
  repository.commit({ 'main.tf': moduleOf(thing('f', 'delay_ms = 50') + thing('g', 'depends_on = [fake_thing.f]')) });
  await takeNewest(harness, sourceId);
  for (let number = 1; number <= renames; number += 1) {
    const name = `first-${number}`;
    const { status, text } = await http.patch(`/api/v1/sources/${sourceId}`, { name });
    if (status !== 200) throw new Error(`The Source could not be renamed: ${text}`);
    report({ what: 'name', sourceId, name });
  }
  const plan = await planAgain(harness, capsuleId);
  reportEnd(report, plan);
  report({ what: 'plan', runId: plan.id });
  await applyAndReport(harness, plan, report);
  return { capsuleId };
}

function reportEnd(report: (fact: Fact) => void, { id, status, capsuleId }: Run): void {
  report({ what: 'ended', runId: id, status, ...(capsuleId && { capsuleId }) });
}

async function applyAndReport(harness: Harness, plan: Run, report: (fact: Fact) => void): Promise<void> {
  const apply = await startApply(harness, plan);
  report({ what: 'record', path: `/api/v1/runs/${apply.id}` });
  reportEnd(report, await settled(harness.server, apply.id));
  const [state] = await stateVersions(harness, plan.capsuleId ?? '');
  if (state !== undefined) report({ what: 'state', stateVersionId: state.id, generation: state.generation });
}

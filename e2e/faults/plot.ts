import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Run } from '#shared/runs/contract';
import type { Harness } from '../fixtures/harness.ts';
import { errorsOf, installPlanned } from '../fixtures/journey.ts';
import { fakeModule } from '../fixtures/modules.ts';
import { effects } from '../fixtures/provider/index.ts';

/**
 * A thing that changes with every plan, so that each can be applied, and whose change waits for a gate; the world
 * counts its changes.
 */
const restlessModule = fakeModule(`resource "fake_thing" "one" {
  name = "fake_thing.one"
  note = timestamp()
  gate = "\${path.root}/world/open"
}
output "note" {
  value = fake_thing.one.note
}
`);

/** Targets of steps. `other` is a Source that no Capsule uses, so its snapshots need no check. */
export type Plot = {
  harness: Harness;
  sourceId: string;
  capsuleId: string;
  other: { id: string; url: string; commit(): void };
  /** The world beside the module of the Capsule. */
  world: string;
};

/** A Source and a Capsule with a plan, and its gate open. */
export async function preparePlot(harness: Harness): Promise<Plot> {
  const { url } = harness.repository('plot', { 'main.tf': restlessModule });
  const { capsuleId, sourceId } = await installPlanned(harness, { url, name: 'plot' });
  const moving = harness.repository('moving', { 'main.tf': restlessModule });
  const { http, workspaceId } = harness;
  const input = { workspaceId, name: 'moving', url: moving.url };
  const { body } = await http.post<{ source: { id: string } }>('/api/v1/sources', input);
  let commits = 0;
  const commit = () => {
    commits += 1;
    moving.commit({ 'note.txt': `${commits}\n` });
  };
  const world = path.join(harness.server.dataDir, 'capsules', capsuleId, 'tree', 'world');
  const plot = { harness, sourceId, capsuleId, other: { id: body.source.id, url: moving.url, commit }, world };
  openGate(plot);
  return plot;
}

export function openGate({ world }: Plot): void {
  mkdirSync(world, { recursive: true });
  writeFileSync(path.join(world, 'open'), '');
}

export const closeGate = ({ world }: Plot): void => rmSync(path.join(world, 'open'), { force: true });

/** Returns how often the thing was created or changed outside. */
export const countChanges = ({ world }: Plot): number =>
  existsSync(path.join(world, 'effects.jsonl')) ? effects(world).length : 0;

/**
 * A Run succeeds, or reports that the disk was full or failing; outside effects happen once. Returns the violations.
 */
export async function judgeRun({ harness }: Plot, id: string, changes: number): Promise<string[]> {
  const { status, errorCode, type } = (await harness.http.get<{ run: Run }>(`/api/v1/runs/${id}`)).body.run;
  const faults: string[] = [];
  if (status !== 'succeeded' && errorCode !== 'disk_full') {
    const errors = await errorsOf(harness, id);
    faults.push(`the ${type} ended ${status} with ${errorCode}: ${errors.map(({ message }) => message).join(' ')}`);
  }
  const expected = type === 'apply' && status === 'succeeded' ? 1 : 0;
  if (changes !== expected) faults.push(`the ${type} ended ${status} and the world was changed ${changes} times`);
  return faults;
}

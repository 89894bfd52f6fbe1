import { everyWorkspace } from '../kernel/outbox.ts';
import type { Ground } from './app-context.ts';
import { buildBase } from './base.ts';
import { buildRecords } from './records.ts';
import { buildWork } from './work.ts';

export type Rooms = ReturnType<typeof buildRooms>;

/** Builds every room, lowest first. What a lower room needs of a higher one is a narrow function passed to it. */
export function buildRooms(ground: Ground) {
  const { db, toolbox } = ground;
  const base = buildBase(ground);
  // The tool belongs to the machine, so every Workspace hears of it.
  toolbox.listen(({ id, status }) =>
    db.write(() => base.shared.outbox.push({ workspaceId: everyWorkspace, kind: 'runner', recordId: id, status })),
  );
  const records = buildRecords(ground, base);
  return { ...base, ...records, ...buildWork(ground, base, records) };
}

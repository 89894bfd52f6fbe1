import { everyWorkspace } from '../kernel/outbox.ts';
import type { AppContext } from './app-context.ts';
import { buildBase } from './base.ts';
import { buildRecords } from './records.ts';
import { buildWork } from './work.ts';

export type Domains = ReturnType<typeof buildDomains>;

/** Builds every room, lowest first. What a lower room needs of a higher one is a narrow function passed to it. */
export function buildDomains(context: AppContext) {
  const { db, toolManager } = context;
  const base = buildBase(context);
  // The tool belongs to the machine, so every Workspace hears of it.
  toolManager.listen(({ id, status }) =>
    db.write(() => base.shared.outbox.push({ workspaceId: everyWorkspace, kind: 'runner', recordId: id, status })),
  );
  const records = buildRecords(context, base);
  return { ...base, ...records, ...buildWork(context, base, records) };
}

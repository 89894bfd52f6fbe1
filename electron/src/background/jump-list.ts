import type { JumpListCategory } from 'electron';
import { deepLinkOf } from '#shared/dashboard/deep-link';
import type { OwnerWork } from '#shared/dashboard/owner-work';
import { visibleText } from '#shared/visible-text';
import type { BackgroundTexts } from './texts.ts';

const maxText = 200;

/** Entries of the jump list of Windows: each one starts the program with a link, which the running desktop opens. */
export function jumpList(
  t: BackgroundTexts,
  { recentCapsules }: Pick<OwnerWork, 'recentCapsules'>,
  program: string,
): JumpListCategory[] {
  const items = recentCapsules.flatMap(({ id, name }) => {
    const link = deepLinkOf(`/capsules/${id}`);
    if (link === undefined) return [];
    const title = visibleText(name).slice(0, maxText);
    return [{ type: 'task' as const, title, description: title, program, args: link, iconPath: program, iconIndex: 0 }];
  });
  return items.length === 0 ? [] : [{ type: 'custom', name: t.recentCapsules, items }];
}

import type { OwnerNotice } from '#shared/dashboard/owner-work';
import { visibleText } from '#shared/visible-text';
import type { BackgroundTexts } from './texts.ts';

export type ShownNotice = { title: string; body: string; page: string };

/** Words an event. A name comes from a module or a person, so it is shown without control and direction characters. */
export function wordNotice(t: BackgroundTexts, { event, runId, capsuleName, workspaceName }: OwnerNotice): ShownNotice {
  const names = [capsuleName ?? '', workspaceName].map((name) => visibleText(name).slice(0, 100));
  return { title: t.events[event], body: names.filter(Boolean).join(' · '), page: `/runs/${runId}` };
}

type Shown = { isFocused: boolean; address: string };

/** Reports whether the person already looks at the page of a notice. */
export function isShown(page: string, shown: Shown | undefined): boolean {
  return shown?.isFocused === true && URL.parse(shown.address)?.pathname === page;
}

import type { SearchResult } from '#shared/search/contract';
import { chooseWorkspace } from '../../api/chosen-workspace.ts';
import { OfflineError } from '../../api/client.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { useOpenPage } from '../../components/use-open-page.ts';
import { useText } from '../../i18n/text.ts';
import type { Entry, EntryGroup } from './entry.ts';
import { matchEntries } from './match-entries.ts';
import { pathOf, recordEntry } from './record-entry.ts';
import { useGlobalEntries } from './use-global-entries.ts';
import { useRecentRecords } from './use-recent-records.ts';
import { useRecordSearch } from './use-record-search.ts';

/** Lines of the palette for a text, and its status for those who do not see them. */
export function useEntries(text: string): { groups: EntryGroup[]; status: string } {
  const t = useText();
  const open = useOpenRecord();
  const workspaceId = useWorkspaceId();
  const { onPage, pages, settings, actions } = useGlobalEntries();
  const recent = useRecentRecords();
  const { results, isPending, error } = useRecordSearch(text);
  const isEmpty = text.trim() === '';
  const select = (entries: readonly Entry[]) => (isEmpty ? [...entries] : matchEntries(entries, text));
  const records = (isEmpty ? recent : results).map((record) => recordEntry(t, record, { workspaceId, open }));
  const recordGroup = { value: t(isEmpty ? 'palette.recent' : 'palette.records'), items: records };
  const pageGroup = { value: t('palette.onPage'), items: select(onPage) };
  const others = [
    { value: t('palette.actions'), items: select(actions) },
    { value: t('palette.pages'), items: select(pages) },
    { value: t('palette.settings'), items: select(settings) },
  ];
  // Records arrive last, so they are below what is there already.
  const ordered = isEmpty ? [pageGroup, recordGroup, ...others] : [pageGroup, ...others, recordGroup];
  const groups = ordered.filter(({ items }) => items.length > 0);
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);
  return { groups, status: statusOf(t, { count, isPending, error }) };
}

type State = { count: number; isPending: boolean; error: unknown };

function statusOf(t: ReturnType<typeof useText>, { count, isPending, error }: State): string {
  if (error instanceof OfflineError) return t('palette.offline');
  if (error) return t('palette.failed');
  if (isPending) return t('palette.searching');
  return count === 0 ? t('palette.nothing') : t('palette.count', { count });
}

/** Opens the page of a record, in its own Workspace. */
function useOpenRecord(): (record: SearchResult) => void {
  const openPage = useOpenPage();
  const workspaceId = useWorkspaceId();
  return (record) =>
    record.workspaceId === workspaceId ? openPage(pathOf(record)) : chooseWorkspace(record.workspaceId, pathOf(record));
}

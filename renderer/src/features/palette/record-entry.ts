import {
  AppWindow,
  Boxes,
  Building2,
  FileBox,
  FolderTree,
  GitBranch,
  KeyRound,
  type LucideIcon,
  Play,
} from 'lucide-react';
import type { SearchKind, SearchResult } from '#shared/search/contract';
import { interfaceKindText } from '../../components/interfaces/interface-text.ts';
import { runTypeTexts } from '../../components/status-text.ts';
import type { useText } from '../../i18n/text.ts';
import { addressText } from '../../ui/address.ts';
import { visibleText } from '../../ui/visible-text.ts';
import type { Entry } from './entry.ts';

const icons: Readonly<Record<SearchKind, LucideIcon>> = {
  capsule: Boxes,
  run: Play,
  interface: AppWindow,
  form_resource: FileBox,
  source: GitBranch,
  connection: KeyRound,
  project: FolderTree,
  workspace: Building2,
};

/** Page of a record. Projects are listed on the page of their Workspace. */
export const pathOf = ({ kind, id }: Pick<SearchResult, 'kind' | 'id'>): string => {
  if (kind === 'workspace') return '/';
  if (kind === 'form_resource') return `/form-resources/${id}`;
  return kind === 'project' ? '/workspace#projects' : `/${kind}s/${id}`;
};

type Text = ReturnType<typeof useText>;

function labelOf(t: Text, record: SearchResult): string {
  switch (record.kind) {
    case 'run':
      return [t(runTypeTexts[record.type]), record.capsuleName, record.resolvedCommit?.slice(0, 8)]
        .filter((part) => part !== undefined)
        .join(' · ');
    case 'connection':
      return record.name ?? `…${record.id.slice(-6)}`;
    case 'workspace':
      return record.workspaceName;
    default:
      return record.name;
  }
}

function detailOf(t: Text, record: SearchResult): string | undefined {
  if (record.kind === 'capsule') return record.environment;
  if (record.kind === 'interface') {
    const kind = interfaceKindText(record.type);
    return kind ? t(kind) : record.type;
  }
  if (record.kind === 'form_resource') return record.formKind;
  if (record.kind === 'source') return addressText(record.url);
  return record.kind === 'workspace' ? record.handle : undefined;
}

/** Line of a record. One of another Workspace names it. */
export function recordEntry(
  t: Text,
  record: SearchResult,
  { workspaceId, open }: { workspaceId: string; open: (record: SearchResult) => void },
): Entry {
  const elsewhere =
    record.workspaceId !== workspaceId && record.kind !== 'workspace' ? record.workspaceName : undefined;
  const hint = [t(`palette.kind.${record.kind}`), detailOf(t, record), elsewhere].filter((part) => part !== undefined);
  return {
    id: record.id,
    label: visibleText(labelOf(t, record)),
    hint: visibleText(hint.join(' · ')),
    icon: icons[record.kind],
    run: () => open(record),
  };
}

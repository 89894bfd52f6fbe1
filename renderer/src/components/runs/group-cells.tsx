import { Link } from '@tanstack/react-router';
import type { GroupChange } from '#shared/runs/changes';
import { useText } from '../../i18n/text.ts';
import { rowLinkClass } from '../../ui/data-table.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { awaitsTexts, runStatusTexts } from '../status-text.ts';

/** Name of a RunGroup, linked to its page. */
export function GroupName({ group: { runGroupId, type, members } }: { group: GroupChange }) {
  const t = useText();
  const title = type === 'drift_check' ? 'runs.group.drift' : 'runs.group.update';
  return (
    <Link to="/run-groups/$id" params={{ id: runGroupId }} data-row className={rowLinkClass}>
      {t(title, { count: members.total })}
    </Link>
  );
}

/** Status of a group, and what its members wait for or failed at. */
export function GroupState({ group: { status, members } }: { group: GroupChange }) {
  const t = useText();
  const notes = [
    members.waiting > 0 && t('runs.group.waiting', { count: members.waiting }),
    members.failed > 0 && t('runs.group.failed', { count: members.failed }),
    members.applied > 0 && t('runs.group.applied', { count: members.applied }),
  ].filter((note) => note !== false);
  const isWaiting = status === 'waiting_approval';
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <StatusBadge statusText={isWaiting ? awaitsTexts.apply : runStatusTexts[status]} />
      {notes.length > 0 && <span className="text-xs text-muted">{notes.join(' · ')}</span>}
    </span>
  );
}

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useRef, useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import type { Source, SourceSnapshot } from '#shared/sources/contract';
import { isGitRef } from '#shared/sources/git-address';
import { snapshotsQuery, stableVersionQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { inputClass, Labelled, quietClass } from '../../ui/controls.tsx';
import { Lane, RefName } from '../../ui/lane.tsx';
import { visibleText } from '../../ui/visible-text.ts';

type Props = { capsule: Capsule; source: Source; onMove: (ref: string) => void; onCancel: () => void };

/** Asks for a branch, tag or commit, and offers the ones that are known. */
export function MoveForm({ capsule, source, onMove, onCancel }: Props) {
  const t = useText();
  const id = useId();
  const [text, setText] = useState('');
  const [wasSent, setSent] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const ref = text.trim();
  const problem = ref === '' ? t('move.empty') : isGitRef(ref) ? undefined : t('move.invalid');
  const { adoptedSourceRevision: adopted } = capsule;
  const send = (event: FormEvent) => {
    event.preventDefault();
    setSent(true);
    if (problem === undefined) onMove(ref);
    else field.current?.focus();
  };
  const choose = (chosen: string) => {
    setText(chosen);
    field.current?.focus();
  };
  return (
    <form noValidate onSubmit={send} className="flex flex-col gap-4">
      {adopted && (
        <p className="text-sm text-muted">
          {t('move.now')} <Lane of={adopted} /> · <code>{adopted.resolvedCommit.slice(0, 8)}</code>
        </p>
      )}
      <Labelled id={id} label={t('move.ref')} help={t('move.help')} problem={wasSent ? problem : undefined}>
        <input
          id={id}
          ref={field}
          value={text}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-invalid={(wasSent && problem !== undefined) || undefined}
          aria-describedby={`${id}-help`}
          className={`${inputClass} font-mono`}
          onChange={(event) => setText(event.target.value)}
        />
      </Labelled>
      <Suggestions source={source} path={adopted?.path} onChoose={choose} />
      <p className="text-sm text-muted">{t('move.text')}</p>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary">
          {t('move.submit')}
        </Button>
        <Button onClick={onCancel}>{t('cancel')}</Button>
      </div>
    </form>
  );
}

type SuggestionsProps = { source: Source; path: string | undefined; onChoose: (ref: string) => void };

/** The highest stable version of a public repository, and the refs that were fetched before. */
function Suggestions({ source, path, onChoose }: SuggestionsProps) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const isPublic = source.authConnectionId === undefined;
  const stable = useQuery({ ...stableVersionQuery(workspaceId, source.url), enabled: isPublic }).data;
  const snapshots = useInfiniteQuery(snapshotsQuery(source.id)).data?.pages.flatMap((page) => page.snapshots) ?? [];
  const known = newestPerRef(snapshots, path).filter(({ ref }) => ref !== stable?.tag);
  if (!stable && known.length === 0) return null;
  return (
    <div>
      <h3 className="text-sm font-medium">{t('move.known')}</h3>
      <ul className="mt-1 max-h-52 divide-y divide-line overflow-auto rounded-md border border-line">
        {stable && <Suggestion name={stable.tag} commit={stable.commit} note={t('move.stable')} onChoose={onChoose} />}
        {known.map(({ ref, resolvedCommit }) => (
          <Suggestion key={ref} name={ref} commit={resolvedCommit} note={t('move.fetched')} onChoose={onChoose} />
        ))}
      </ul>
    </div>
  );
}

type SuggestionProps = { name: string; commit: string; note: string; onChoose: (ref: string) => void };

function Suggestion({ name, commit, note, onChoose }: SuggestionProps) {
  const t = useText();
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-3 px-3 py-1.5">
      <span className="min-w-0">
        <RefName name={name} />{' '}
        <span className="text-xs text-muted">
          {note} · <code>{commit.slice(0, 8)}</code>
        </span>
      </span>
      <button
        type="button"
        className={quietClass}
        aria-label={`${t('move.choose')}: ${visibleText(name)}`}
        onClick={() => onChoose(name)}
      >
        {t('move.choose')}
      </button>
    </li>
  );
}

/** The newest snapshot of each ref of a folder, in the order of the snapshots. */
function newestPerRef(snapshots: readonly SourceSnapshot[], path: string | undefined): SourceSnapshot[] {
  const byRef = new Map<string, SourceSnapshot>();
  for (const snapshot of snapshots)
    if (snapshot.path === path && !byRef.has(snapshot.ref)) byRef.set(snapshot.ref, snapshot);
  return [...byRef.values()];
}

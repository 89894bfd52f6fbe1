import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Connection } from '#shared/connections/contract';
import { connectionsQuery, freeName, homeOf, hostOf, isUsableForGit } from '../api/connections.ts';
import { useWorkspaceId } from '../api/session.tsx';
import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { Help, inputClass } from '../ui/controls.tsx';
import { Skeleton } from '../ui/surface.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { ErrorNote } from './error-note.tsx';
import { GitTokenForm } from './git-token-form.tsx';

type Props = {
  /** Repository to read. */
  url: string;
  /** The Connection that is used now. */
  currentId?: string | undefined;
  /** True when the host has just refused the current Connection. */
  isRefused?: boolean;
  /** Label of the button that uses the chosen Connection. */
  use: string;
  busy: boolean;
  error: unknown;
  onUse: (connectionId: string) => void;
  onCancel?: () => void;
};

/** Returns the display name of a Connection, or the end of its id. */
export const connectionName = ({ displayName, id }: Pick<Connection, 'displayName' | 'id'>): string =>
  displayName === undefined ? `…${id.slice(-6)}` : visibleText(displayName);

/** Selects the access to a private repository: an existing Connection, those of the same host first, or a new token. */
export function RepositoryAccess(props: Props) {
  const query = useQuery(connectionsQuery(useWorkspaceId()));
  if (query.isPending) return <Skeleton lines={2} />;
  if (query.isError) return <ErrorNote error={query.error} onAgain={() => void query.refetch()} />;
  return <Choice {...props} all={query.data} />;
}

function Choice(props: Props & { all: readonly Connection[] }) {
  const { url, currentId, isRefused = false, use, busy, error, onUse, onCancel, all } = props;
  const t = useText();
  const host = hostOf(url);
  const usable = all.filter(isUsableForGit);
  // A token is never preselected for a host that it was not created for, because one click would send it there.
  const own = usable.filter((one) => hostOf(homeOf(one)) === host && !(isRefused && one.id === currentId));
  const others = usable.filter((one) => !own.includes(one));
  const [createdId, setCreatedId] = useState<string>();
  const likely = createdId ?? (isRefused ? undefined : currentId) ?? own[0]?.id;
  const [isNew, setNew] = useState(likely === undefined);
  const hasRows = usable.length > 0;
  return (
    <div className="flex flex-col gap-3">
      {error !== undefined && error !== null && <ErrorNote error={error} />}
      {createdId !== undefined && !isNew && <p className="text-sm text-muted">{t('access.kept')}</p>}
      {isNew ? (
        <GitTokenForm
          url={url}
          name={freeName(host ?? '', all)}
          submit={use}
          onCreated={({ id }) => {
            setCreatedId(id);
            setNew(false);
            onUse(id);
          }}
          cancel={hasRows ? t('access.existing') : t('cancel')}
          onCancel={hasRows ? () => setNew(false) : onCancel}
        />
      ) : (
        <Existing
          key={createdId}
          rows={[...own, ...others]}
          host={host}
          refusedId={isRefused ? currentId : undefined}
          likely={likely}
          use={use}
          busy={busy}
          onUse={onUse}
          onNew={() => setNew(true)}
          onCancel={onCancel}
        />
      )}
    </div>
  );
}

type ExistingProps = Pick<Props, 'use' | 'busy' | 'onUse'> & {
  rows: readonly Connection[];
  host: string | undefined;
  refusedId: string | undefined;
  likely: string | undefined;
  onNew: () => void;
  onCancel: (() => void) | undefined;
};

function Existing({ rows, host, refusedId, likely, use, busy, onUse, onNew, onCancel }: ExistingProps) {
  const t = useText();
  const id = useId();
  const [picked, setPicked] = useState(likely);
  const chosen = rows.find((one) => one.id === picked);
  const chosenHost = chosen && hostOf(homeOf(chosen));
  const isElsewhere = chosenHost !== undefined && chosenHost !== host;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen && !busy) onUse(chosen.id);
      }}
    >
      <div className="max-w-md">
        <label htmlFor={id} className="mb-1 block text-sm font-medium">
          {t('access.choose')}
        </label>
        <select
          id={id}
          className={inputClass}
          value={chosen?.id ?? ''}
          aria-describedby={`${id}-help`}
          onChange={(event) => setPicked(event.target.value)}
        >
          {!chosen && <option value="">{t('access.pick')}</option>}
          {rows.map((one) => (
            <option key={one.id} value={one.id}>
              {optionText(one)}
              {one.id === refusedId && ` · ${t('access.notAccepted')}`}
            </option>
          ))}
        </select>
        <Help id={`${id}-help`}>{t('access.chooseHelp', { host: visibleText(host ?? '') })}</Help>
        {isElsewhere && (
          <p role="status" className="mt-1 text-sm text-warn">
            {t('access.elsewhere', { home: visibleText(chosenHost), host: visibleText(host ?? '') })}
          </p>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={busy} disabled={!chosen}>
          {use}
        </Button>
        <Button onClick={onNew} disabled={busy}>
          {t('access.new')}
        </Button>
        {onCancel && (
          <Button onClick={onCancel} disabled={busy}>
            {t('cancel')}
          </Button>
        )}
      </div>
    </form>
  );
}

function optionText(connection: Connection): string {
  const host = hostOf(homeOf(connection));
  const name = connectionName(connection);
  return host === undefined || name.includes(host) ? name : `${name} · ${host}`;
}

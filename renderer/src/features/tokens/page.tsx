import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { TokenRecord } from '#shared/tokens/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { More } from '../../components/more.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Pill } from '../../ui/pill.tsx';
import { Card, EmptyState, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { Since, serverNow } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { NewToken } from './new-token.tsx';

const invalidateTokens = () => void queryClient.invalidateQueries({ queryKey: keys.tokens });

/** Tokens of the account, newest first. Their values are never shown again. */
export function TokensPage() {
  const t = useText();
  const [isCreating, setCreating] = useState(false);
  const pages = useInfiniteQuery({
    queryKey: keys.tokens,
    queryFn: async ({ pageParam }) =>
      (await api.listTokens({ query: pageParam === undefined ? {} : { cursor: pageParam } })).body,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const rows = pages.data?.pages.flatMap((page) => page.tokens) ?? [];
  return (
    <>
      <PageTitle
        title={t('tokens.title')}
        lead={t('tokens.lead')}
        actions={
          // The button stays in place when the first token is created, because the focus returns to it.
          <Button variant="primary" onClick={() => setCreating(true)}>
            {t('tokens.new')}
          </Button>
        }
      />
      <Card>
        {pages.isPending && <Skeleton lines={4} />}
        {pages.isLoadingError && (
          <div className="p-4">
            <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />
          </div>
        )}
        {rows.length > 0 && <TokenTable rows={rows} />}
        {pages.isSuccess && rows.length === 0 && (
          <EmptyState title={t('tokens.empty.title')} text={t('tokens.empty.text')} />
        )}
        <More pages={pages} />
      </Card>
      <NewToken isOpen={isCreating} onClose={() => setCreating(false)} onCreated={invalidateTokens} />
    </>
  );
}

const stateOf = ({ revoked_at, expires_at }: TokenRecord): 'revoked' | 'ended' | 'live' => {
  if (revoked_at !== undefined) return 'revoked';
  return expires_at !== undefined && Date.parse(expires_at) <= serverNow() ? 'ended' : 'live';
};

function TokenTable({ rows }: { rows: readonly TokenRecord[] }) {
  const t = useText();
  const columns: Column<TokenRecord>[] = [
    { id: 'name', head: t('tokens.name'), cell: (token) => <Name token={token} /> },
    {
      id: 'state',
      head: t('tokens.state'),
      cell: (token) => (
        <Pill tone={stateOf(token) === 'live' ? 'good' : 'neutral'}>{t(`tokens.state.${stateOf(token)}`)}</Pill>
      ),
      className: 'md:w-28',
    },
    {
      id: 'ends',
      head: t('tokens.ends'),
      cell: ({ expires_at }) => (
        <span className="text-muted">
          <span className="md:hidden">{t('tokens.ends')}: </span>
          {expires_at === undefined ? t('tokens.ends.never') : <Since at={expires_at} />}
        </span>
      ),
      className: 'md:w-32',
    },
    {
      id: 'used',
      head: t('tokens.used'),
      cell: ({ last_used_at }) => (
        <span className="text-muted">
          <span className="md:hidden">{t('tokens.used')}: </span>
          {last_used_at === undefined ? t('tokens.used.never') : <Since at={last_used_at} />}
        </span>
      ),
      className: 'md:w-32',
    },
    {
      id: 'revoke',
      head: t('tokens.revoke'),
      cell: (token) => stateOf(token) === 'live' && <Revoke token={token} />,
      className: 'md:w-28 md:text-right',
    },
  ];
  return <DataTable label={t('tokens.title')} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

function Name({ token }: { token: TokenRecord }) {
  const t = useText();
  return (
    <>
      <p className="font-medium break-words">{visibleText(token.name)}</p>
      <p className="text-xs break-words text-muted">
        <code className="font-mono">{token.prefix}…</code> · {token.scopes.join(', ')}
        {token.workspace_id !== undefined && ` · ${t('tokens.workspace.bound')}`}
      </p>
    </>
  );
}

function Revoke({ token }: { token: TokenRecord }) {
  const t = useText();
  const [isAsking, setAsking] = useState(false);
  const name = visibleText(token.name);
  const revoke = useIntent(async (keyOf) => {
    await api.revokeToken({ params: { tokenId: token.id } }, keyOf('revoke'));
    setAsking(false);
    invalidateTokens();
  });
  return (
    <>
      <Button aria-label={t('tokens.revoke.of', { name })} onClick={() => setAsking(true)}>
        {t('tokens.revoke')}
      </Button>
      <Confirm
        isOpen={isAsking}
        onClose={() => {
          revoke.reset();
          setAsking(false);
        }}
        title={t('tokens.revoke.title', { name })}
        action={t('tokens.revoke')}
        onConfirm={() => void revoke.run()}
        busy={revoke.isBusy}
        error={revoke.error}
      >
        {t('tokens.revoke.text')}
      </Confirm>
    </>
  );
}

import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { AttentionKind } from '#shared/dashboard/attention';
import { attentionPagesQuery } from '../../api/attention.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { AttentionLine } from './attention-lines.tsx';
import { Section } from './section.tsx';
import type { RemainingAttention } from './without-requested.ts';

type Props = {
  title: string;
  kinds: readonly AttentionKind[];
  attention: RemainingAttention;
  /** Further rows, which the server does not list by kind. */
  more: readonly ReactNode[];
};

/** One section of the home page: the newest items of some kinds, and all of them on request. */
export function AttentionSection({ title, kinds, attention, more }: Props) {
  const counts = kinds.map((kind) => ({ kind, count: attention.counts.get(kind) ?? 0 }));
  const total = counts.reduce((sum, { count }) => sum + count, more.length);
  if (total === 0) return null;
  return (
    <Section title={title} count={total}>
      {counts.map(({ kind }) => (
        <ItemsOfKind key={kind} kind={kind} attention={attention} />
      ))}
      {more}
    </Section>
  );
}

type KindProps = { kind: AttentionKind; attention: RemainingAttention };

/** Rows of one kind: the newest ones, and all of them on request. */
export function ItemsOfKind({ kind, attention }: KindProps) {
  const count = attention.counts.get(kind) ?? 0;
  const preview = attention.items.filter((item) => item.kind === kind);
  const [isWhole, setWhole] = useState(false);
  const pages = useInfiniteQuery({ ...attentionPagesQuery(useWorkspaceId(), kind), enabled: isWhole });
  const items =
    pages.data?.pages.flatMap((page) => page.items.filter((item) => !attention.isRequested(item))) ?? preview;
  const rest = count - items.length;
  const showMore = () => {
    if (isWhole) void pages.fetchNextPage();
    else setWhole(true);
  };
  return (
    <>
      {items.map((item) => (
        <AttentionLine key={item.id} item={item} />
      ))}
      {rest > 0 && (!isWhole || pages.hasNextPage || pages.isPending || pages.isError) && (
        <ShowAll kind={kind} count={rest} isBusy={pages.isFetching} error={pages.error} onShow={showMore} />
      )}
    </>
  );
}

type ShowProps = { kind: AttentionKind; count: number; isBusy: boolean; error: Error | null; onShow: () => void };

function ShowAll({ kind, count, isBusy, error, onShow }: ShowProps) {
  const t = useText();
  return (
    <li className="flex flex-col gap-2 px-4 py-2">
      {error && <ErrorNote error={error} />}
      <Button variant="quiet" busy={isBusy} onClick={onShow} className="self-start">
        {t('home.more', { count, kind: t(`home.kind.${kind}`) })}
      </Button>
    </li>
  );
}

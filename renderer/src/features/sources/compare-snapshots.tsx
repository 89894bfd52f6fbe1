import { useNavigate } from '@tanstack/react-router';
import type { SourceSnapshot } from '#shared/sources/contract';
import { CodeDifference } from '../../components/code/code-difference.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Card } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import type { SourceSearch } from './search.ts';

type Props = { sourceId: string; snapshots: readonly SourceSnapshot[]; search: SourceSearch };

const nameOf = ({ resolvedCommit, ref, path, commit }: SourceSnapshot): string => {
  const lane = [ref, path].filter((part) => part !== 'HEAD' && part !== '.').join(' ');
  const subject = commit?.subject.slice(0, 60);
  return visibleText([resolvedCommit.slice(0, 8), lane, subject].filter((part) => part).join(' · '));
};

/** Choice of two snapshots and what changed between them. The address holds the choice. */
export function CompareSnapshots({ sourceId, snapshots, search }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const { from, to } = search;
  if (snapshots.length < 2 && from === undefined) return null;
  const show = (next: SourceSearch) =>
    void navigate({ to: '/sources/$id', params: { id: sourceId }, search: next, replace: true, resetScroll: false });
  // The other end of a first choice is the newest snapshot, or the one before it.
  const other = (id: string) => snapshots.find((snapshot) => snapshot.id !== id)?.id;
  const choose = (end: 'from' | 'to', id: string | undefined) => {
    const rest = id === undefined ? undefined : ((end === 'from' ? to : from) ?? other(id));
    show(
      id === undefined || rest === undefined ? {} : end === 'from' ? { from: id, to: rest } : { from: rest, to: id },
    );
  };
  const options = snapshots.map((snapshot) => ({ value: snapshot.id, text: nameOf(snapshot) }));
  return (
    <>
      <Card className="px-4 py-3">
        <h2 className="mb-2 font-semibold">{t('code.compare.title')}</h2>
        <div className="flex flex-wrap items-center gap-2">
          {(['from', 'to'] as const).map((end) => (
            <Choice
              key={end}
              label={t(`code.${end}`)}
              any={t(`code.${end}`)}
              value={search[end]}
              options={options}
              onChange={(id) => choose(end, id)}
            />
          ))}
          {from !== undefined && (
            <Button variant="quiet" onClick={() => show({})}>
              {t('code.compare.close')}
            </Button>
          )}
        </div>
      </Card>
      {from !== undefined && to !== undefined && <CodeDifference sourceId={sourceId} from={from} to={to} />}
    </>
  );
}

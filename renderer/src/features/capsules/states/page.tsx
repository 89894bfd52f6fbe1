import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { statesQuery } from '../../../api/records.ts';
import { useText } from '../../../i18n/text.ts';
import { Choice } from '../../../ui/choice.tsx';
import { Card, EmptyState } from '../../../ui/surface.tsx';
import { useCapsule } from '../capsule-context.ts';
import { isLiving } from '../living.ts';
import { CapsuleBackups } from './backups.tsx';
import { StateComparison } from './comparison.tsx';
import type { StatesSearch } from './search.ts';
import { CapsuleStates } from './states.tsx';

/** Every StateVersion of a Capsule, and what differs between two of them. */
export function StatesPage({ search }: { search: StatesSearch }) {
  const { capsule } = useCapsule();
  const pages = useInfiniteQuery(statesQuery(capsule.id));
  const states = pages.data?.pages.flatMap((page) => page.stateVersions) ?? [];
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {(capsule.currentStateGeneration > 1 || search.from !== undefined) && <Compare states={states} search={search} />}
      <CapsuleBackups capsule={capsule} />
      <CapsuleStates capsuleId={capsule.id} currentId={capsule.currentStateVersionId} canReturn={isLiving(capsule)} />
    </div>
  );
}

type CompareProps = { states: readonly { id: string; generation: number }[]; search: StatesSearch };

function Compare({ states, search }: CompareProps) {
  const t = useText();
  const navigate = useNavigate();
  const { id } = useCapsule().capsule;
  const { from, to } = search;
  const show = (change: { from?: string | undefined; to?: string | undefined }) => {
    const next = Object.entries({ from, to, ...change }).filter(([, value]) => value !== undefined);
    const address = { to: '/capsules/$id/states', params: { id }, replace: true, resetScroll: false } as const;
    void navigate({ ...address, search: Object.fromEntries(next) as StatesSearch });
  };
  const options = states.map((state) => ({
    value: state.id,
    text: t('states.generation', { generation: state.generation }),
  }));
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2.5">
        <h2 className="font-semibold">{t('states.compare.title')}</h2>
        <Choice
          label={t('states.compare.from')}
          any={t('states.compare.from')}
          value={from}
          options={options}
          onChange={(value) => show({ from: value })}
        />
        <span aria-hidden="true" className="text-muted">
          →
        </span>
        <Choice
          label={t('states.compare.to')}
          any={t('states.compare.to')}
          value={to}
          options={options}
          onChange={(value) => show({ to: value })}
        />
      </div>
      {from !== undefined && from === to ? (
        <EmptyState title={t('states.compare.same')} text={t('states.compare.same.text')} />
      ) : from !== undefined && to !== undefined ? (
        <StateComparison from={from} to={to} search={search} />
      ) : (
        <p className="px-4 py-3 text-muted">{t('states.compare.nothing')}</p>
      )}
    </Card>
  );
}

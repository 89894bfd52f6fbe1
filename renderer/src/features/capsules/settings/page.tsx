import { useText } from '../../../i18n/text.ts';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { Card } from '../../../ui/surface.tsx';
import { useCapsule } from '../capsule-context.ts';
import { isLiving } from '../living.ts';
import { AutoUpdate } from './auto-update.tsx';
import { DriftScheduleSetting } from './drift-schedule.tsx';
import { FollowedRef } from './followed-ref.tsx';
import { LabelSetting } from './labels.tsx';
import { NoteSetting } from './note.tsx';
import { RunnerPoolSetting, usePoolChoice } from './runner-pool.tsx';
import { WritablePaths } from './writable-paths.tsx';

/** Settings of a Capsule that act without a plan. */
export function SettingsPage() {
  const t = useText();
  const { capsule } = useCapsule();
  const pools = usePoolChoice(capsule);
  // Only an applied Capsule runs from a lane.
  const canFollow = capsule.adoptedSourceRevision !== undefined && isLiving(capsule);
  const items: (Fact | false)[] = [
    capsule.status !== 'destroyed' && { term: t('capsule.followed'), value: <FollowedRef /> },
    canFollow && { term: t('capsule.updates'), value: <AutoUpdate capsule={capsule} /> },
    capsule.status !== 'destroyed' && {
      term: t('drift.schedule.title'),
      value: <DriftScheduleSetting capsule={capsule} />,
    },
    capsule.status !== 'destroyed' &&
      pools !== undefined && {
        term: t('capsule.pool'),
        value: <RunnerPoolSetting capsule={capsule} pools={pools} />,
      },
    capsule.status !== 'destroyed' && { term: t('capsule.writable'), value: <WritablePaths capsule={capsule} /> },
    (capsule.status !== 'destroyed' || capsule.labels !== undefined) && {
      term: t('labels.title'),
      value: <LabelSetting capsule={capsule} canChange={isLiving(capsule)} />,
    },
    (capsule.status !== 'destroyed' || capsule.note !== undefined) && {
      term: t('capsule.note'),
      value: <NoteSetting capsule={capsule} canChange={isLiving(capsule)} />,
    },
  ];
  const shown = items.filter((item) => item !== false);
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('capsule.tab.settings')}</h2>
      {shown.length > 0 ? (
        <Facts items={shown} />
      ) : (
        <p className="px-4 py-4 text-muted">{t('capsule.settings.none')}</p>
      )}
    </Card>
  );
}

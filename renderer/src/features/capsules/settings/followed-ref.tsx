import { useText } from '../../../i18n/text.ts';
import { Lane } from '../../../ui/lane.tsx';
import { useCapsule } from '../capsule-context.ts';
import { MoveVersion } from '../move-version.tsx';

/** The ref and folder that a Capsule follows, and the move to another ref. */
export function FollowedRef() {
  const t = useText();
  const { capsule, again } = useCapsule();
  const { adoptedSourceRevision: adopted } = capsule;
  if (!adopted) return <span className="text-muted">{t('capsule.commit.none')}</span>;
  return (
    <>
      <Lane of={adopted} />
      <MoveVersion capsule={capsule} again={again} className="mt-2" />
    </>
  );
}

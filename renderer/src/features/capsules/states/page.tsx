import { useCapsule } from '../capsule-context.ts';
import { isLiving } from '../living.ts';
import { CapsuleStates } from './states.tsx';

/** Every StateVersion of a Capsule. */
export function StatesPage() {
  const { capsule } = useCapsule();
  return (
    <CapsuleStates capsuleId={capsule.id} currentId={capsule.currentStateVersionId} canReturn={isLiving(capsule)} />
  );
}

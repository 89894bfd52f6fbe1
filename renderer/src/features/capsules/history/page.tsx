import { useCapsule } from '../capsule-context.ts';
import { CapsuleHistory } from './runs.tsx';

/** Every Run of a Capsule. */
export const HistoryPage = () => <CapsuleHistory capsuleId={useCapsule().capsule.id} />;

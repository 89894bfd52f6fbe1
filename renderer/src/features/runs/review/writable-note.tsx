import { useQuery } from '@tanstack/react-query';
import type { Run } from '#shared/runs/contract';
import { capsuleQuery } from '../../../api/records.ts';
import { useText } from '../../../i18n/text.ts';
import { PathList } from '../../../ui/path-list.tsx';
import { Note } from '../../../ui/surface.tsx';

/** The folders outside its own that the apply of a plan may write to. They cannot change while the plan waits. */
export function WritableNote({ run: { capsuleId = '' } }: { run: Run }) {
  const t = useText();
  const { data } = useQuery({ ...capsuleQuery(capsuleId), enabled: capsuleId !== '' });
  const paths = data?.writablePaths ?? [];
  if (paths.length === 0) return null;
  return (
    <div className="mb-3">
      <Note tone="warn" title={t('run.review.writable')}>
        <PathList paths={paths} />
      </Note>
    </div>
  );
}

import { Archive } from 'lucide-react';
import type { Backup } from '#shared/backups/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { useMay } from '../../api/role.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { BackupError } from './backup-error.tsx';

/** Backs up the Workspace, or one Capsule of it. The server answers when the archive is durable. */
function useBackUp(capsuleId: string | undefined) {
  const workspaceId = useWorkspaceId();
  return useIntent(async (keyOf): Promise<Backup> => {
    try {
      const { body } =
        capsuleId === undefined
          ? await api.backUpWorkspace({ params: { workspaceId } }, keyOf('back up'))
          : await api.backUpCapsule({ params: { capsuleId } }, keyOf('back up'));
      return body.backup;
    } finally {
      invalidateRecord({ kind: 'run', id: '' });
    }
  });
}

type Props = { capsuleId?: string; isMain?: boolean };

/** Makes a backup now, for those who may. A refusal is shown below the button. */
export function BackUpButton({ capsuleId, isMain = false }: Props) {
  const t = useText();
  const may = useMay();
  const backUp = useBackUp(capsuleId);
  if (!may(capsuleId === undefined ? 'backUpWorkspace' : 'backUpCapsule')) return null;
  return (
    <div className="flex min-w-0 flex-col items-start gap-2">
      <Button
        variant={isMain ? 'primary' : 'plain'}
        busy={backUp.isBusy}
        aria-live="polite"
        onClick={() => void backUp.run()}
      >
        {!backUp.isBusy && <Archive size={15} aria-hidden="true" />}
        {t(backUp.isBusy ? 'backups.now.busy' : capsuleId === undefined ? 'backups.now' : 'backups.now.capsule')}
      </Button>
      {backUp.error !== undefined && <BackupError error={backUp.error} />}
    </div>
  );
}

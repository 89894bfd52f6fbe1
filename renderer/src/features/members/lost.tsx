import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { ApiError, api } from '../../api/client.ts';
import { useText } from '../../i18n/text.ts';
import { Note } from '../../ui/surface.tsx';

/** Reports that the current Workspace is no longer accessible. After a switch by the user the previous one still is. */
export function LostWorkspace({ id, name }: { id: string; name: string }) {
  const t = useText();
  const navigate = useNavigate();
  const before = useRef({ id, name });
  const [lost, setLost] = useState<string>();
  useEffect(() => {
    const { id: old, name: oldName } = before.current;
    before.current = { id, name };
    if (old === id) return;
    setLost(undefined);
    api.getWorkspace({ params: { workspaceId: old } }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 403) return;
      setLost(oldName);
      void navigate({ to: '/' });
    });
  }, [id, name, navigate]);
  if (lost === undefined) return null;
  return (
    <div className="mb-4">
      <Note tone="warn" title={t('members.lost.title', { name: lost })}>
        {t('members.lost.text')}
      </Note>
    </div>
  );
}

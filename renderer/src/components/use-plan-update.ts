import { useNavigate } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { useIntent } from '../api/intent.ts';
import { useWorkspaceId } from '../api/session.tsx';

/** Plans every Capsule that is out of date, and opens the RunGroup. */
export function usePlanUpdate() {
  const navigate = useNavigate();
  const params = { workspaceId: useWorkspaceId() };
  return useIntent(async (keyOf) => {
    const { id } = (await api.planUpdate({ params }, keyOf('update'))).body.runGroup;
    await navigate({ to: '/run-groups/$id', params: { id } });
  });
}

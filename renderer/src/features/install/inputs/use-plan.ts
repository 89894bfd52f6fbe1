import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import type { PlanConfiguration } from '#shared/configuration-plans/api';
import type { RequestImport } from '#shared/imports/contract';
import type { CreateInstallPlan } from '#shared/install-plans/api';
import type { ReturnTarget } from '#shared/sources/return-uri';
import { api, newKey } from '../../../api/client.ts';
import { invalidateRecord, keys, queryClient } from '../../../api/queries.ts';
import { sourceQuery } from '../../../api/records.ts';
import { keepReturn } from '../../../api/returns.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { refusedVariable } from '../../../components/inputs/refused-variable.ts';
import { clearFailure } from '../inspection.ts';

/** A new installation, one with an uploaded state, or another attempt with a Capsule that was never applied. */
export type PlanInput =
  | { install: CreateInstallPlan; sourceId: string; returnTo?: ReturnTarget | undefined }
  | { importId: string; moveIn: RequestImport }
  | { capsuleId: string; configuration: PlanConfiguration };

/** Adds the Connection of the Source to the request. Without it the server would create another Source. */
async function signedIn(install: CreateInstallPlan, sourceId: string): Promise<CreateInstallPlan> {
  const { authConnectionId } = await queryClient.fetchQuery({ ...sourceQuery(sourceId), staleTime: 0 });
  if (authConnectionId === undefined) return install;
  return { ...install, source: { ...install.source, authConnectionId } };
}

/** Requests the plan, or the restore that moves a state in. The same content has the same key, so a repeated click has no second effect. */
export function usePlan(onVariable: (name: string, message: string) => void) {
  const workspaceId = useWorkspaceId();
  const navigate = useNavigate();
  const intent = useRef({ content: '', key: newKey() });
  return useMutation({
    mutationFn: async (input: PlanInput): Promise<() => Promise<void>> => {
      const content = JSON.stringify(input);
      if (intent.current.content !== content) intent.current = { content, key: newKey() };
      const { key } = intent.current;
      if ('configuration' in input) {
        const params = { capsuleId: input.capsuleId };
        const { body } = await api.planConfiguration({ params, body: input.configuration }, key);
        invalidateRecord({ kind: 'capsule', id: input.capsuleId });
        return () => navigate({ to: '/runs/$id', params: { id: body.configurationPlan.planRunId } });
      }
      if ('moveIn' in input) {
        const params = { importId: input.importId };
        const { body } = await api.requestImport({ params, body: input.moveIn }, key);
        invalidateRecord({ kind: 'capsule', id: body.capsule.id });
        return () => navigate({ to: '/runs/$id', params: { id: body.run.id } });
      }
      const install = await signedIn(input.install, input.sourceId);
      const { body } = await api.createInstallPlan({ params: { workspaceId }, body: install }, key);
      queryClient.setQueryData(keys.installPlan(body.installPlan.id), body);
      if (input.returnTo) keepReturn(body.installPlan.id, input.returnTo);
      return () => navigate({ to: '/install-plans/$id', params: { id: body.installPlan.id } });
    },
    onError: (error, input) => {
      const refused = refusedVariable(error, 'install' in input ? input.install : {});
      if (refused) onVariable(...refused);
    },
    onSuccess: (goOn) => {
      clearFailure();
      return goOn();
    },
  });
}

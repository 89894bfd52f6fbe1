import { type Dispatch, type SetStateAction, useState } from 'react';
import type { Connection } from '#shared/connections/contract';
import { useWorkspaceId } from '../../api/session.tsx';
import { serverNow } from '../../ui/time.tsx';
import { type Choice, type Draft, emptyDraft, findProblems, type Problems, requestOf, type Sent } from './draft.ts';
import { refusedField } from './refusal.ts';
import { useNewConnection } from './use-new-connection.ts';

/** State that fields of the form read and change. */
export type FormScope = {
  draft: Draft;
  problems: Problems;
  change: (part: Partial<Draft>) => void;
};

type ConnectionFormState = FormScope & {
  isBusy: boolean;
  /** A refusal that belongs to no field. */
  error: unknown;
  /** Sends it; resolves with the Connection, or with undefined when something is wrong. */
  send: () => Promise<Connection | undefined>;
};

/** State of a form for one recipe. The typed values are cleared once they are saved. */
export function useConnectionForm(choice: Choice, initialDraft: Partial<Draft>): ConnectionFormState {
  const workspaceId = useWorkspaceId();
  const [draft, setDraft] = useState<Draft>({ ...emptyDraft, ...initialDraft });
  const [showErrors, setShowErrors] = useState(false);
  const [sent, setSent] = useState<Sent>();
  const make = useNewConnection();
  const refused = refusedField(make.error, { draft, choice, sent });
  const problems = showErrors ? findProblems(draft, choice, serverNow()) : {};
  const reset = () => {
    setSent(undefined);
    make.reset();
  };
  return {
    draft,
    problems: { ...(refused && { [refused.key]: refused.problem }), ...problems },
    change: changer(setDraft, () => make.error !== undefined && reset()),
    isBusy: make.isBusy,
    error: refused ? undefined : make.error,
    async send() {
      setShowErrors(true);
      if (Object.keys(findProblems(draft, choice, serverNow())).length > 0) return undefined;
      const request = requestOf(draft, choice, workspaceId);
      setSent(request);
      const connection = await make.run(request);
      if (!connection) return undefined;
      setSent(undefined);
      setShowErrors(false);
      setDraft({ ...emptyDraft, ...initialDraft });
      return connection;
    },
  };
}

const changer =
  (setDraft: Dispatch<SetStateAction<Draft>>, onChange: () => void) =>
  (part: Partial<Draft>): void => {
    onChange();
    setDraft((now) => ({ ...now, ...part }));
  };

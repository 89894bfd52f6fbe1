import { type CopyRevision, copyUnchanged } from '#shared/copies/contract';
import type { CopyRevisionStatus } from '#shared/copies/machine';
import type { StatusText } from '../../components/status-text.ts';

const texts: Readonly<Record<CopyRevisionStatus, StatusText>> = {
  preparing: { text: 'copy.status.preparing', tone: 'accent' },
  waiting_approval: { text: 'copy.status.waiting_approval', tone: 'warn' },
  making: { text: 'copy.status.making', tone: 'accent' },
  succeeded: { text: 'copy.status.succeeded', tone: 'good' },
  failed: { text: 'copy.status.failed', tone: 'bad' },
  cancelled: { text: 'copy.status.cancelled', tone: 'neutral' },
};

/** Reports whether an update ended because it found nothing new, which is no failure for a person. */
export const isUnchanged = ({ error }: Pick<CopyRevision, 'error'>): boolean => error?.code === copyUnchanged;

export const revisionStatusText = (revision: Pick<CopyRevision, 'status' | 'error'>): StatusText =>
  isUnchanged(revision) ? { text: 'copy.status.unchanged', tone: 'neutral' } : texts[revision.status];

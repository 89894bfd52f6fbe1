import type { CopyRevisionStatus } from '#shared/copies/machine';
import type { StatusText } from '../../components/status-text.ts';

export const revisionStatusTexts: Readonly<Record<CopyRevisionStatus, StatusText>> = {
  preparing: { text: 'copy.status.preparing', tone: 'accent' },
  waiting_approval: { text: 'copy.status.waiting_approval', tone: 'warn' },
  making: { text: 'copy.status.making', tone: 'accent' },
  succeeded: { text: 'copy.status.succeeded', tone: 'good' },
  failed: { text: 'copy.status.failed', tone: 'bad' },
  cancelled: { text: 'copy.status.cancelled', tone: 'neutral' },
};

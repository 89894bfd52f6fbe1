import type { PersonalEvent } from './contract.ts';

/** Titles of notifications for a person, in the dashboard and in the desktop. */
export const personalTexts: Record<'en' | 'ja', Record<PersonalEvent, string>> = {
  en: {
    'approval.requested': 'Your approval is requested',
    'run.waiting': 'Your plan waits for a decision',
    'run.failed': 'Your Run failed',
    'run.succeeded': 'Your Run succeeded',
  },
  ja: {
    'approval.requested': '承認が依頼されました',
    'run.waiting': 'プランが判断を待っています',
    'run.failed': 'Run が失敗しました',
    'run.succeeded': 'Run が成功しました',
  },
};

import type { PersonalEvent } from './contract.ts';

/** Titles of notifications for a person, in the dashboard and in the desktop. */
export const personalTexts: Record<'en' | 'ja', Record<PersonalEvent, string>> = {
  en: {
    'approval.requested': 'Your approval is requested',
    'late_state.arrived': 'A state arrived after its apply was ended',
    'run.waiting': 'Your plan waits for a decision',
    'run.failed': 'Your Run failed',
    'run.succeeded': 'Your Run succeeded',
  },
  ja: {
    'approval.requested': '承認が依頼されました',
    'late_state.arrived': '適用の終了後に state が届きました',
    'run.waiting': 'プランが判断を待っています',
    'run.failed': 'Run が失敗しました',
    'run.succeeded': 'Run が成功しました',
  },
};

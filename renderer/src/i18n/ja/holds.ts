import type { holds as en } from '../en/holds.ts';

export const holds: Record<keyof typeof en, string> = {
  'hold.mark': '保留中',
  'hold.title': 'この Capsule は保留中です。何も適用されません',
  'hold.review': 'この Capsule は保留中のため、このプランは適用できません。',
  'hold.by': '保留した人: {who}',
  'hold.until': '{time} まで',
  'hold.open': '解除されるまで',
  'hold.who': 'オーナーまたは管理者が解除できます。',
  'hold.release': '保留を解除',
  'hold.change': '保留を変更',
  'hold.button': '保留…',
  'hold.dialog': '{name} を保留',
  'hold.text': 'プランはこれまでどおり作成できます。承認と適用は拒否され、自動更新は一時停止します。',
  'hold.running': 'すでに実行中の適用は続行されます。',
  'hold.reason': '理由',
  'hold.reason.help': 'Workspace のすべてのメンバーに表示されます。',
  'hold.reason.missing': '理由を入力してください。',
  'hold.end': '終了日時（任意）',
  'hold.end.help': 'お使いのタイムゾーンの日時です。指定しない場合は、解除されるまで続きます。',
  'hold.end.past': '未来の日時を指定してください。',
  'hold.submit': 'Capsule を保留',
};

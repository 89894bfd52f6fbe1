import type { lateStates as en } from '../en/late-states.ts';

export const lateStates = {
  'lateState.title': 'この適用の終了後に状態が届きました',
  'lateState.text':
    '適用のマシンが復帰し、到達した状態を送りました。オーナーまたは管理者が採用するまで、この状態は反映されません。',
  'lateState.facts': '到着 {at}、シリアル {serial, number}、リソース {count, number} 件。',
  'lateState.run': '適用を表示',
  'lateState.same': '現在の状態 (世代 {generation}) と同じ内容のリソースです。',
  'lateState.added': '現在の状態 (世代 {generation}) にないリソース {count, number} 件',
  'lateState.removed': '現在の状態 (世代 {generation}) だけにあるリソース {count, number} 件',
  'lateState.changed': '現在の状態 (世代 {generation}) と内容が異なるリソース {count, number} 件',
  'lateState.superseded':
    'この適用が終了した後、Capsule に別の状態が記録されました。採用するとそれが置き換えられ、現在の状態だけにあるリソースは追跡されなくなります。',
  'lateState.adopt': '状態を採用…',
  'lateState.replace': '新しい状態を置き換える…',
  'lateState.dismiss': '却下',
  'lateState.dismiss.title': 'この状態を却下しますか？',
  'lateState.dismiss.text': '状態は削除されます。この状態だけにあるリソースはそのまま残り、追跡されません。',
  'lateState.expires': '削除予定',
  'lateState.restore': '復元を表示',
  'lateState.phase.requested': 'この状態の復元が待機中または実行中です。',
  'lateState.phase.adopted': 'この状態は採用されました。',
  'lateState.phase.dismissed': 'この状態は却下されました。',
  'lateState.phase.expired': '判断されなかったため、この状態は削除されました。',
  'restore.returns.late': '終了した適用の状態',
  'restore.from.late': '適用の終了後に届いた状態です。',
} as const satisfies Record<keyof typeof en, string>;

import type { lateStates as en } from '../en/late-states.ts';

export const lateStates = {
  'lateState.title': '適用の終了後に state が届きました',
  'lateState.text':
    '適用のマシンが復帰し、到達した時点の state を送りました。オーナーか管理者が採用するまで、この state は反映されません。もう一度プランする前に判断してください。先にプランすると、現在の古い state に基づくため、この state だけにあるリソースがもう一度作成されます。',
  'lateState.first': '先に、遅れて届いた state を採用するか却下してください。今プランすると、古い state に基づきます。',
  'lateState.facts': '到着 {at}、シリアル {serial, number}、リソース {count, number} 件。',
  'lateState.run': '適用を表示',
  'lateState.same': 'リソースもその内容も、現在の state（世代 {generation}）と同じです。',
  'lateState.added': '現在の state（世代 {generation}）にないリソース：{count, number} 件',
  'lateState.removed': '現在の state（世代 {generation}）だけにあるリソース：{count, number} 件',
  'lateState.changed': '現在の state（世代 {generation}）と内容が異なるリソース：{count, number} 件',
  'lateState.superseded':
    'この適用が終了した後、Capsule に別の state が記録されました。採用するとそれが置き換えられ、現在の state だけにあるリソースは追跡されなくなります。',
  'lateState.adopt': 'state を採用…',
  'lateState.replace': '新しい state を置き換える…',
  'lateState.dismiss': '却下',
  'lateState.dismiss.title': 'この state を却下しますか？',
  'lateState.dismiss.text': 'state は削除されます。この state だけにあるリソースはそのまま残り、追跡されません。',
  'lateState.expires': '削除予定',
  'lateState.restore': '復元を表示',
  'lateState.phase.requested': 'この state の復元が待機中または実行中です。',
  'lateState.phase.adopted': 'この state は採用されました。',
  'lateState.phase.dismissed': 'この state は却下されました。',
  'lateState.phase.expired': '誰も判断しなかったため、この state は削除されました。',
  'restore.effect.late': '届いた state が、Capsule の新しい StateVersion になります。現在のものも一覧に残ります。',
  'restore.returns.late': '終了した適用の state',
  'restore.from.late': '適用の終了後に届いた state です。',
} as const satisfies Record<keyof typeof en, string>;

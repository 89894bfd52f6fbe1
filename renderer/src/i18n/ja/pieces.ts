import type { pieces as source } from '../en/pieces.ts';

export const pieces: Record<keyof typeof source, string> = {
  cancel: 'キャンセル',
  close: '閉じる',
  save: '保存',
  newtab: '新しいタブで開きます',
  'changes.words': '追加 {add, number}、変更 {change, number}、削除 {destroy, number}',
  'changes.done': '追加 {add, number}、変更 {change, number}、破棄 {destroy, number} を完了',
  'changes.done.none': '変更されたものはありません',
  'changes.none': 'リソースの変更なし',
  'changes.import': 'インポート {count, number}',
  'changes.forget': '管理対象外 {count, number}',
  'step.waiting': '待機中',
  'step.running': '実行中',
  'step.done': '完了',
  'step.failed': '失敗',
  'form.refused': '{count, number} 個の項目を修正してください',
  'form.refused.open': '項目へ移動',
  'form.refused.field': '項目 {number}',
};

import type { palette as source } from '../en/palette.ts';

export const palette: Record<keyof typeof source, string> = {
  'palette.title': 'コマンドパレット',
  'palette.open': '検索',
  'palette.search': 'レコード、ページ、操作を検索',
  'palette.results': '検索結果',
  'palette.close': 'Esc',
  'palette.recent': '最近の更新',
  'palette.records': 'レコード',
  'palette.actions': '操作',
  'palette.pages': 'ページ',
  'palette.searching': '検索しています…',
  'palette.nothing': '該当なし',
  'palette.count': '{count} 件',
  'palette.offline': 'サーバーが応答しないため、レコードを検索できません。',
  'palette.failed': 'レコードを検索できませんでした。文字を変えてやり直してください。',
  'palette.kind.capsule': 'Capsule',
  'palette.kind.run': 'Run',
  'palette.kind.source': 'Source',
  'palette.kind.connection': 'Connection',
  'palette.kind.project': 'プロジェクト',
  'palette.kind.workspace': 'ワークスペース',
};

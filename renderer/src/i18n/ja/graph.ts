import type { graph as en } from '../en/graph.ts';

export const graph: Record<keyof typeof en, string> = {
  'nav.graph': 'グラフ',
  'graph.lead': 'Capsule と、その間で受け渡される Output を示します。',
  'graph.empty.title': 'Capsule はまだありません',
  'graph.empty.text': 'モジュールをインストールすると、Capsule としてここに表示され、依存先と線で結ばれます。',
  'graph.foreign': '別の Workspace の Capsule',
  'graph.list': '一覧で表示',
  'graph.collapse': '折りたたむ Project:',
  'graph.project.count': 'Capsule {count, number} 個',
  'graph.uses': '使用しているもの',
  'graph.zoomIn': '拡大',
  'graph.zoomOut': '縮小',
  'graph.fit': '全体を表示',
  'nav.api': 'API リファレンス',
  'reference.title': 'API リファレンス',
  'reference.lead':
    'このサーバーのすべてのルートを、本文と応答の例とともに示します。ここで試すリクエストには、このブラウザーのセッションが使われます。',
  'reference.back': 'ダッシュボード',
};

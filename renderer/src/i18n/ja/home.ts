import type { home as source } from '../en/home.ts';

export const home: Record<keyof typeof source, string> = {
  'home.paste.label': 'Git リポジトリの URL を貼り付け',
  'home.paste.example': 'https://github.com/owner/repository',
  'home.paste.button': 'リポジトリを調べる',
  'home.paste.hint': 'フォルダーやブランチのアドレス、このマシンにあるリポジトリのパスも使えます。',
  'home.paste.wrong':
    'Git リポジトリのアドレスではありません。https:// で始まる URL または絶対パスを貼り付けてください。',
  'home.first.title': '何を実行しますか？',
  'home.first.lead':
    '最新のコミットを取得し、その中の OpenTofu・Terraform モジュールを見つけます。プランを確認して承認するまで、何も作られません。',
  'home.first.look': 'モジュールを選び、入力を設定します。',
  'home.first.plan': '何が追加・変更・削除されるかを確認します。',
  'home.first.apply': '承認して見守り、いつでもここに戻れます。',
  'home.waiting': 'あなたの対応待ち',
  'home.plan.of': '{type} · {name}',
  'home.install.of': 'インストール · {name}',
  'home.install.open': '開くと続行します',
  'home.running': '実行中',
  'home.failed': '対応が必要',
  'home.failed.run': '{type}に失敗',
  'home.failed.capsule.text':
    '前回の適用が正常に終了しませんでした。開いてもう一度プランすると、残りの作業がわかります。',
  'home.failed.source': '取得できません',
  'home.failed.source.text': '前回の同期に失敗しました。開いて理由を確認し、もう一度同期してください。',
  'home.failed.install': 'インストール失敗',
  'home.failed.install.text': '開いて理由を確認し、もう一度お試しください。',
  'home.applied': '最近の適用',
  'home.applied.all': 'すべての Capsule',
  'home.applied.outputs': '{count, plural, =0 {Output なし} other {Output # 件}}',
  'home.quiet': '対応待ちも実行中のものもありません。',
  'home.quiet.nothing': '対応待ちも実行中のものもありません。上に URL を貼り付けるとモジュールをプランできます。',
  'home.updates': '更新あり',
  'home.updates.text': '{count, number} 個の Capsule が、現在より古いコミットまたは Output で動いています。',
};

import type { imports as source } from '../en/imports.ts';

export const imports: Record<keyof typeof source, string> = {
  'import.open': '別の場所で適用済みの場合: state をアップロード',
  'import.text':
    '既存のリソースを作り直さずに引き継ぎます。モジュールのフォルダーで「tofu state pull > state.json」または「terraform state pull > state.json」を実行し、そのファイルを選択してください。以後、元の場所は使わないでください。',
  'import.file': 'state ファイル',
  'import.help': '64 MiB まで、形式 4、暗号化なし。検査して封印するだけで、まだ何も変わりません。',
  'import.uploading': 'アップロードして検査しています…',
  'import.checked': 'state を読み取れました',
  'import.resources': 'リソース',
  'import.outputs': 'Output',
  'import.written': '書き込んだツール',
  'import.tool': 'OpenTofu または Terraform',
  'import.serial': 'シリアル',
  'import.lineage': 'lineage',
  'import.providers': 'プロバイダー',
  'import.remove': 'この state を取り除く',
  'import.taken': 'この state からは、すでに Capsule が作成されています。',
  'import.taken.open': 'その復元を開く',
  'import.review': 'インポートを確認',
  'import.review.help': 'Capsule と、承認待ちの復元を作成します。プロバイダーは起動しません。',
};

/**
 * What is wrong with the name of a branch; `undefined` if it's valid. These are the rules of
 * `git check-ref-format --branch`, plus names that hosts or people mistake for something else.
 */
export function branchNameMistake(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (Buffer.byteLength(name) > 200) return 'is longer than 200 bytes';
  // oxlint-disable-next-line no-control-regex -- exactly these are refused
  if (/[\u0000-\u0020\u007f~^:?*[\\]/.test(name)) {
    return 'contains a space, a control character, or one of ~ ^ : ? * [ \\';
  }
  if (!name.isWellFormed() || /[\p{Cf}\p{Cc}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(name)) {
    return 'contains an invisible character';
  }
  if (name.includes('..')) return 'holds ".."';
  if (name.includes('@{')) return 'holds "@{"';
  if (/^\/|\/$|\/\//.test(name)) return 'has an empty part before, between, or after "/"';
  if (/(^|\/)\./.test(name)) return 'has a part that begins with "."';
  if (name.endsWith('.')) return 'ends with "."';
  if (/\.lock(\/|$)/i.test(name)) return 'has a part that ends with ".lock"';
  if (name.startsWith('-')) return 'begins with "-"';
  if (name === '@' || /^HEAD$/i.test(name)) return 'has a special meaning in git';
  if (/^refs\//i.test(name)) return 'begins with "refs/"; write the branch alone';
  // GitHub refuses these, because they look like a commit.
  if (/^[\da-f]{40}(?:[\da-f]{24})?$/i.test(name)) return 'looks like a commit';
  return undefined;
}

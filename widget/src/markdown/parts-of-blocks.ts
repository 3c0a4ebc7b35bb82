/** Long lists and tables that grow: their items and rows that are finished are not lexed again. */
import type { Token, Tokens } from 'marked';

export interface Parts {
  /** Like the lexer, for a text that begins where the last one did and is mostly the same. */
  lex: (text: string) => Token[];
}

/** This many items or rows at the end may still change. */
const openParts = 2;
/** So many more are collected before they are put aside. */
const enough = 4;

interface KeptList {
  text: string;
  items: Tokens.ListItem[];
  isLoose: boolean;
  start: Tokens.List['start'];
}

interface KeptTable {
  /** The two lines of its head, then the rows that are done. */
  head: string;
  text: string;
  rows: Tokens.TableCell[][];
}

function keepItems(list: Tokens.List, before: KeptList | undefined): KeptList | undefined {
  const old = before?.items.length ?? 0;
  const done = list.items.slice(old, -openParts);
  if (done.length < enough) return before;
  return {
    text: (before?.text ?? '') + done.map(({ raw }) => raw).join(''),
    items: [...(before?.items ?? []), ...done],
    isLoose: list.loose,
    start: list.start,
  };
}

/** The list whose first items are known already, or `undefined` where the rest does not go on with it. */
function joinList(kept: KeptList, tokens: Token[]): Token[] | undefined {
  const rest = tokens[0] as Tokens.List | undefined;
  if (rest?.type !== 'list' || rest.ordered !== (kept.start !== '')) return undefined;
  const isLoose = kept.isLoose || rest.loose || /\n[ \t]*\n$/.test(kept.text);
  const items = [...kept.items, ...rest.items];
  const list: Tokens.List = {
    ...rest,
    raw: kept.text + rest.raw,
    start: kept.start,
    loose: isLoose,
    items,
  };
  return [list, ...tokens.slice(1)];
}

function keepRows(table: Tokens.Table, text: string, before: KeptTable | undefined) {
  const lines = text.split('\n');
  const old = before?.rows.length ?? 0;
  const count = table.rows.length - openParts - old;
  if (count < enough || lines.length < table.rows.length + 2) return before;
  const head = before?.head ?? `${lines.slice(0, 2).join('\n')}\n`;
  const done = `${lines.slice(2, 2 + old + count).join('\n')}\n`;
  return { head, text: head + done, rows: table.rows.slice(0, old + count) };
}

export function createParts(lexText: (source: string) => Token[]): Parts {
  let list: KeptList | undefined;
  let table: KeptTable | undefined;

  const read = (text: string): Token[] => {
    if (list && text.startsWith(list.text)) {
      const joined = joinList(list, lexText(text.slice(list.text.length)));
      if (joined) return joined;
    }
    if (table && text.startsWith(table.text)) {
      const [rest, ...others] = lexText(table.head + text.slice(table.text.length));
      if (rest?.type === 'table') {
        const { rows } = rest as Tokens.Table;
        const raw = table.text + rest.raw.slice(table.head.length);
        return [{ ...rest, raw, rows: [...table.rows, ...rows] } as Tokens.Table, ...others];
      }
    }
    list = undefined;
    table = undefined;
    return lexText(text);
  };

  return {
    lex(text) {
      const tokens = read(text);
      const first = tokens[0];
      if (first?.type === 'list') list = keepItems(first as Tokens.List, list);
      else if (first?.type === 'table') table = keepRows(first as Tokens.Table, text, table);
      // What was put aside must be what the text says, to the letter.
      if (list && !text.startsWith(list.text)) list = undefined;
      return tokens;
    },
  };
}

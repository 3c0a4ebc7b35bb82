/** Columns of tables, declared once: the types of the rows and the SQL of both databases come from them. */
import { type ColumnType, type Kysely, PostgresAdapter } from 'kysely';

interface Facts {
  type: 'text' | 'integer' | 'bigint' | 'real' | 'double precision';
  isNull?: boolean;
  isPrimary?: boolean;
  more?: string;
}

/** A column with values of `Type`, not null unless it says so. */
class Column<Type> {
  /** For types only. */
  declare readonly value: Type;
  readonly facts: Facts;

  constructor(facts: Facts) {
    this.facts = facts;
  }

  /** The primary key, or a part of it if several columns say so. */
  get primary(): Column<Type> {
    return new Column({ ...this.facts, isPrimary: true });
  }

  get unique(): Column<Type> {
    return this.#with('unique');
  }

  get orNull(): Column<Type | null> {
    return new Column({ ...this.facts, isNull: true });
  }

  /** Never changes after the row is inserted. */
  get fixed(): Column<ColumnType<Type, Type, never>> {
    return new Column(this.facts);
  }

  default(value: string | number): Column<Type> {
    return this.#with(`default ${typeof value === 'string' ? `'${value}'` : value}`);
  }

  /** Names a row of another table, and goes with it. */
  references(table: string, column = 'id'): Column<Type> {
    return this.#with(`references ${table} (${column}) on delete cascade`);
  }

  #with(more: string): Column<Type> {
    return new Column({ ...this.facts, more: `${this.facts.more ?? ''} ${more}` });
  }
}

export const text = <Type extends string = string>() => new Column<Type>({ type: 'text' });
export const integer = () => new Column<number>({ type: 'integer' });
export const bigint = () => new Column<number>({ type: 'bigint' });
export const real = () => new Column<number>({ type: 'real' });
export const double = () => new Column<number>({ type: 'double precision' });

export type Engine = 'sqlite' | 'postgres';

export const engineOf = <Tables>(database: Kysely<Tables>): Engine =>
  database.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';

export type Columns = Readonly<Record<string, Column<unknown>>>;

export type RowsOf<Tables> = {
  [Name in keyof Tables]: {
    [Column in keyof Tables[Name]]: Tables[Name][Column] extends { value: infer Type }
      ? Type
      : never;
  };
};

/** SQL for one of the databases. Text sorts and compares by bytes in both, whatever the database’s language. */
export function toSql(tables: Readonly<Record<string, Columns>>, engine: Engine): string[] {
  return Object.entries(tables).map(([name, columns]) => {
    const all = Object.entries(columns);
    const primary = all.filter(([, { facts }]) => facts.isPrimary).map(([column]) => column);
    const lines = all.map(([column, { facts }]) =>
      columnSql(column, facts, engine, facts.isPrimary && primary.length === 1),
    );
    if (primary.length > 1) lines.push(`primary key (${primary.join(', ')})`);
    return `create table ${name} (${lines.join(', ')})`;
  });
}

function columnSql(
  name: string,
  { type, isNull, more = '' }: Facts,
  engine: Engine,
  isKey = false,
): string {
  const order = type === 'text' && engine === 'postgres' ? ' collate "C"' : '';
  return `${name} ${type}${order}${isKey ? ' primary key' : isNull ? '' : ' not null'}${more}`;
}

/** Adds a column to a table with rows. Undefined: they have no value for it. */
export function additionSql(
  table: string,
  name: string,
  { facts }: Column<unknown>,
  engine: Engine,
): string | undefined {
  const hasValue = facts.isNull === true || facts.more?.includes('default ');
  if (!hasValue) return undefined;
  return `alter table ${table} add column ${columnSql(name, facts, engine)}`;
}
